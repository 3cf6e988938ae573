import { createHash } from 'node:crypto';
import { canonicalJson } from '../json/json.ts';
import type { Exchange } from '../model/exchange.ts';
import { sequenceOf, stepIn } from '../model/exchange-key.ts';
import type { ReportedFinding } from '../model/judgement.ts';
import { hasBailed, type TestResult } from '../model/report.ts';
import { callIn } from '../model/sent.ts';

// What a run did not ask for, and so could not find again: it is neither fixed nor worse.

/** How a check ended before everything was sent; null if it did not. */
export function cutShortBy(result: Pick<TestResult, 'facts' | 'exchanges'>): string | null {
  if (hasBailed(result)) return 'ended at its first failure';
  const wasStopped = (code: string): boolean =>
    result.exchanges.some((one) => one.kind === 'unanswered' && one.reason.code === code);
  if (wasStopped('interrupted') || result.facts.some(({ name }) => name === 'stopped'))
    return 'was interrupted';
  return wasStopped('deadline') ? 'had no time left' : null;
}

/** Of the requirements that only generated inputs decide, and of their steps. */
const GENERATED = 'inputs/';
const DIGITS = 16;

/** Whether other inputs are sent for it with another seed; without a place, by its requirement. */
export function isOnGeneratedInput({
  id,
  where,
}: {
  readonly id: string;
  readonly where: Pick<ReportedFinding['where'], 'exchange'> | null;
}): boolean {
  return id.startsWith(GENERATED) || stepIn(where?.exchange ?? '').startsWith(GENERATED);
}

/** Finds what identifies the calls that end with an exchange, in every run that makes them; undefined without their inputs. */
export function identityOfCalls(exchanges: readonly Exchange[]): (last: string) => string | undefined {
  const byKey = new Map(exchanges.map((exchange) => [exchange.request.key, exchange]));
  const keys = [...byKey.keys()];
  return (last) => {
    const texts = sequenceOf(last, keys).map((key) => {
      const exchange = byKey.get(key);
      const call = exchange === undefined ? null : callIn(exchange.request);
      return call?.input == null ? null : canonicalJson([call.functionName, call.input]);
    });
    if (texts.includes(null)) return undefined;
    return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, DIGITS);
  };
}

/** Those of all calls with generated inputs. */
export function generatedCallsIn({ exchanges }: Pick<TestResult, 'exchanges'>): ReadonlySet<string> {
  const identityOf = identityOfCalls(exchanges);
  const keys = exchanges.map(({ request }) => request.key).filter((key) => stepIn(key).startsWith(GENERATED));
  return new Set(keys.flatMap((key) => identityOf(key) ?? []));
}
