import { saysNothingOfServer } from '../../checks/transport-advice.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { InstanceRun } from '../state/record.ts';
import type { ExploringCalls } from './exploring-calls.ts';

/** The calls of a function that a result keeps: those without a fault, and one for each fault. */
export class KeptCalls {
  readonly #calls: ExploringCalls;
  /** Calls that show no fault of a single answer. */
  readonly passing: InstanceRun[] = [];
  /** The smallest call for each requirement that fails. */
  readonly faulty: InstanceRun[] = [];
  /** Requirements for which the smallest failing input was sought. */
  readonly failed = new Set<string>();
  /** A call that lost its connection when the server ended; null if there was none. */
  lost: InstanceRun | null = null;

  constructor(calls: ExploringCalls) {
    this.#calls = calls;
  }

  all(): readonly InstanceRun[] {
    return [...this.passing, ...this.faulty];
  }

  /** Each fault of a single answer is kept once. */
  add(made: readonly InstanceRun[]): void {
    for (const one of made) {
      const failed = this.#calls.failed(one);
      if (saysNothing(one)) continue;
      if (failed.length === 0) this.passing.push(one);
      else if (failed.some((requirement) => !this.failed.has(requirement))) this.addFaulty(one);
      for (const requirement of failed) this.failed.add(requirement);
    }
  }

  addFaulty(one: InstanceRun): void {
    if (one.exchanges.some(lostConnection)) this.lost ??= one;
    else this.faulty.push(one);
  }
}

/** A single answer that the harness could not read, for example because it was suspended meanwhile. */
export function saysNothing({ exchanges }: InstanceRun): boolean {
  return exchanges.some((exchange) => exchange.kind === 'unanswered' && saysNothingOfServer(exchange.reason));
}

const LOST: ReadonlySet<string> = new Set(['closed-early', 'connection-reset']);

function lostConnection(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && LOST.has(exchange.reason.code);
}
