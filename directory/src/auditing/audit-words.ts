import { createHash } from 'node:crypto';
import type { Db } from '../db/tables.ts';
import { type AuditChange, readChanges, type SeenState } from './audit-changes.ts';
import { type Audit, type AuditOutcome, countOutcomes, type OutcomeCount } from './audits.ts';

export interface Books {
  readonly counts: readonly OutcomeCount[];
  readonly sum: number;
  /** Whether each entry of the audit has one outcome, or waits. */
  readonly balance: boolean;
}

export function booksOf({ entries }: Audit, counts: readonly OutcomeCount[]): Books {
  const sum = counts.reduce((total, { count }) => total + count, 0);
  return { counts, sum, balance: sum === entries };
}

/** Only then are its outcomes those of the servers, and complete. */
export function isQuotable({ state }: Audit): boolean {
  return state === 'ended';
}

const WORDS: Readonly<Record<AuditOutcome, string>> = {
  up: 'up',
  down: 'down',
  refused: 'refused by this directory',
  undecided: 'undecided',
  gone: 'removed during the audit',
  paused: 'paused by the operator',
};

export function wordsOfOutcome(outcome: AuditOutcome | null): string {
  return outcome === null ? 'not asked yet' : WORDS[outcome];
}

/** What is different, in a few words. */
export function describeChange({ before, after }: AuditChange): string {
  if (before === null) return `new: ${stateWords(after)}`;
  const state =
    before.outcome === after.outcome && before.cause === after.cause && before.verdict === after.verdict
      ? []
      : [`${stateWords(before)} → ${stateWords(after)}`];
  const capabilities = haveChanged(before, after) ? ['other capabilities'] : [];
  const came = after.failed.filter((id) => !before.failed.includes(id));
  const went = before.failed.filter((id) => !after.failed.includes(id));
  return [
    ...state,
    ...capabilities,
    ...(came.length === 0 ? [] : [`fails ${came.join(', ')}`]),
    ...(went.length === 0 ? [] : [`meets ${went.join(', ')} now`]),
  ].join('; ');
}

/** Whether both are known, and differ. */
export function haveChanged(before: SeenState, after: SeenState): boolean {
  return (
    before.capabilitiesDigest !== null &&
    after.capabilitiesDigest !== null &&
    before.capabilitiesDigest !== after.capabilitiesDigest
  );
}

function stateWords({ outcome, cause, verdict }: SeenState): string {
  const state = cause === null ? WORDS[outcome] : `${WORDS[outcome]} (${cause})`;
  return verdict === null ? state : `${state}, ${verdict}`;
}

/**
 * Lines of JSON: one for the audit with its books, one for each change, and one with the SHA-256 of all lines before it,
 * so that a cut file is noticed. Without changes if the audit must not be quoted.
 */
export async function* auditLines(db: Db, audit: Audit): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const line = (value: object): string => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  const { counts, sum, balance } = booksOf(audit, await countOutcomes(db, audit.id));
  const quotable = isQuotable(audit);
  yield line({ ...audit, quotable, books: { outcomes: counts, sum, balance } });
  if (quotable)
    for await (const { entryId, ...change } of readChanges(db, audit.id))
      yield line({ id: entryId, ...change });
  yield `${JSON.stringify({ sha256: digest.digest('hex') })}\n`;
}
