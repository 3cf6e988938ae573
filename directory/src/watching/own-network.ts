import { setTimeout } from 'node:timers/promises';
import type { Exchange } from 'probity/model';
import { Recent } from '../db/recent.ts';
import type { EntryTarget } from '../entries/entries.ts';
import { isAddress } from '../targets/polite-turns.ts';

interface OwnNetworkParts {
  /** Null when the target has no turn: then it shows nothing, so that a failure is not believed for it. */
  readonly read: (target: EntryTarget) => Promise<Exchange | null>;
  /** Rejects when the name is not found. */
  readonly findName: (host: string) => Promise<unknown>;
  /** How long to wait for an answer to other work before other targets are asked. */
  readonly patienceMs?: number;
}

interface Known {
  readonly target: EntryTarget;
  /** When the request began that was answered. */
  readonly begunAtMs: number;
}

const NAME_CODES: ReadonlySet<string> = new Set(['name-lookup-failed', 'name-not-found']);
const MAX_KNOWN = 8;
const MAX_ASKED = 3;
const PATIENCE_MS = 500;

/**
 * Distinguishes an outage of the directory's own network from an outage of a target. An answer that began before the
 * failure shows nothing: the network may have failed since.
 */
export class OwnNetwork {
  readonly #parts: OwnNetworkParts;
  /** By host. */
  readonly #answered = new Recent<Known>(MAX_KNOWN);
  /** Shared, so that an outage does not ask the others once for each failure. */
  #asking: { readonly begunAtMs: number; readonly anyAnswers: Promise<boolean> } | null = null;

  constructor(parts: OwnNetworkParts) {
    this.#parts = parts;
  }

  /** Records the outcome of a request. */
  note(target: EntryTarget, exchange: Exchange): void {
    if (exchange.kind === 'answered')
      this.#answered.set(hostOf(target), { target, begunAtMs: exchange.timing.startedAtMs });
  }

  /**
   * Whether this process can reach other targets after a failure: one answers a request that began later, or its name is
   * found if a name was not. Null when no other target is known that could show it.
   */
  async works(target: EntryTarget, failure: Exchange): Promise<boolean | null> {
    const others = this.#othersThan(hostOf(target));
    if (failure.kind === 'unanswered' && NAME_CODES.has(failure.reason.code)) {
      const names = others.map(([host]) => host).filter((host) => !isAddress(host));
      return names.length === 0 ? null : this.#anyNameIsFound(names.slice(-MAX_ASKED));
    }
    if (others.length === 0) return null;
    const { startedAtMs, durationMs } = failure.timing;
    const failedAtMs = startedAtMs + durationMs;
    const answeredSince = (): boolean =>
      this.#othersThan(hostOf(target)).some(([, { begunAtMs }]) => begunAtMs >= failedAtMs);
    if (!answeredSince()) await setTimeout(this.#parts.patienceMs ?? PATIENCE_MS);
    if (answeredSince()) return true;
    if (this.#asking === null || this.#asking.begunAtMs < failedAtMs) {
      const asked = others.slice(-MAX_ASKED).map(([, { target: other }]) => other);
      this.#asking = { begunAtMs: Date.now(), anyAnswers: this.#ask(asked) };
    }
    return this.#asking.anyAnswers;
  }

  #othersThan(host: string): readonly (readonly [string, Known])[] {
    return this.#answered.entries().filter(([known]) => known !== host);
  }

  async #ask(others: readonly EntryTarget[]): Promise<boolean> {
    const answers = await Promise.all(
      others.map(async (other) => {
        const exchange = await this.#parts.read(other).catch(() => null);
        if (exchange !== null) this.note(other, exchange);
        return exchange?.kind === 'answered';
      }),
    );
    return answers.includes(true);
  }

  async #anyNameIsFound(hosts: readonly string[]): Promise<boolean> {
    const found = await Promise.allSettled(hosts.map((host) => this.#parts.findName(host)));
    return found.some(({ status }) => status === 'fulfilled');
  }
}

function hostOf({ endpoint }: EntryTarget): string {
  return new URL(endpoint).hostname;
}
