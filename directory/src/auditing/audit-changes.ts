import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { allRows, oneRow } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import {
  type Audit,
  type AuditOutcome,
  countOutcomes,
  type FoundOutcome,
  type OutcomeCount,
} from './audits.ts';

type SeenState = Omit<FoundOutcome, 'isChanged' | 'isSuspect'>;

/** What an audit shows of an entry, other than the audit of the same tier before did. */
export interface AuditChange {
  readonly entryId: string;
  readonly endpoint: string | null;
  /** Null: no audit of this tier has seen the entry before. */
  readonly before: (SeenState & { readonly auditId: string }) | null;
  readonly after: SeenState;
}

/** Servers that one statement compares, so that its time does not depend on the number of changes. */
const BATCH = 2000;

/**
 * Yields the changes of an audit in the order of the ids of their entries. Each entry is compared with its last decided
 * outcome in an audit that ended, and with the last capabilities that one saw: an undecided outcome or an outage in
 * between hides no change, and is none itself.
 */
export async function* readChanges(db: Db, auditId: string): AsyncGenerator<AuditChange> {
  const earlier = (condition: ReturnType<typeof sql>) => sql`
    select earlier.* from audit_outcomes as earlier join audits as run on run.id = earlier.audit_id
    where earlier.entry_id = one.entry_id and run.tier = audits.tier and run.state = 'ended'
      and run.started_at < audits.started_at and ${condition}
    order by run.started_at desc limit 1`;
  for (let after = ''; ; ) {
    const last = await lastOfBatch(db, auditId, after);
    if (last === null) return;
    const rows = await allRows<AuditChange>(db)`
      select one.entry_id as "entryId", entries.endpoint,
        ${stateOf(sql`one`, sql`one.capabilities_digest`)} as after,
        case when before.entry_id is null then null
          else ${stateOf(sql`before`, sql`seen.capabilities_digest`)} || jsonb_build_object('auditId', before.audit_id)
        end as before
      from audit_outcomes as one
      join audits on audits.id = one.audit_id
      left join entries on entries.id = one.entry_id
      left join lateral (${earlier(sql`earlier.outcome <> 'undecided'`)}) as before on true
      left join lateral (${earlier(sql`earlier.capabilities_digest is not null`)}) as seen on true
      where one.audit_id = ${auditId} and one.entry_id > ${after} and one.entry_id <= ${last} and one.outcome <> 'undecided' and (
        (before.outcome, before.cause, before.verdict, before.failed)
          is distinct from (one.outcome, one.cause, one.verdict, one.failed)
        or one.capabilities_digest <> seen.capabilities_digest
      )
      order by one.entry_id`;
    yield* rows;
    after = last;
  }
}

async function lastOfBatch(db: Db, auditId: string, after: string): Promise<string | null> {
  const { last } = await oneRow<{ last: string | null }>(db)`
    select max(entry_id) as last from (
      select entry_id from audit_outcomes where audit_id = ${auditId} and entry_id > ${after}
      order by entry_id limit ${BATCH}
    ) as batch`;
  return last;
}

function stateOf(row: ReturnType<typeof sql>, digest: ReturnType<typeof sql>) {
  return sql`jsonb_build_object(
    'outcome', ${row}.outcome, 'cause', ${row}.cause, 'verdict', ${row}.verdict, 'failed', ${row}.failed,
    'capabilitiesDigest', ${digest}
  )`;
}

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
