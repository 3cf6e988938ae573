// The folder `auditing` looks at many entries at once, and counts what they are. A command leads an audit
// (`conduct-audit.ts`), workers look at the entries (`audit-entry.ts`), and an outcome decides nothing about a listing.

import { type RawBuilder, sql } from 'kysely';
import { allRows, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { searchedWords } from '../entries/words.ts';

/** `health`: /health and /capabilities; `contract`: all suites, without timing; `full`: with timing. */
export const AUDIT_TIERS = ['health', 'contract', 'full'] as const;
export type AuditTier = (typeof AUDIT_TIERS)[number];
export type AuditOutcome = 'up' | 'down' | 'refused' | 'undecided' | 'gone' | 'paused';

/** Which entries an audit is about. */
export type AuditSelection =
  | { readonly kind: 'all' }
  /** Not tested in the last days, or never. */
  | { readonly kind: 'stale'; readonly days: number }
  /** The words of a search. */
  | { readonly kind: 'query'; readonly text: string }
  /** Their capabilities were not those of their last test when an audit read them. */
  | { readonly kind: 'changed' };

export interface Audit {
  readonly id: string;
  readonly tier: AuditTier;
  /** In words. */
  readonly selection: string;
  readonly entries: number;
  /** `frozen`: the reason is on the side of the directory, and the outcomes must not be quoted. */
  readonly state: 'running' | 'interrupted' | 'ended' | 'frozen';
  readonly reason: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** What an audit shows of an entry. */
export interface FoundOutcome {
  readonly outcome: AuditOutcome;
  /** Why it is not `up`; null: it is. */
  readonly cause: string | null;
  /** Of the suites; null in the tier `health`. */
  readonly verdict: string | null;
  /** Ids of the requirements of level MUST that failed. */
  readonly failed: readonly string[];
  /** SHA-256 of the canonical JSON of the capabilities; null without valid ones. */
  readonly capabilitiesDigest: string | null;
  /** Whether the capabilities are not those of the last test. */
  readonly isChanged: boolean;
  /** Whether a reason on the side of the directory may explain it. */
  readonly isSuspect: boolean;
}

/** How many entries had an outcome for a cause; the outcome is null for those that wait. */
export interface OutcomeCount {
  readonly outcome: AuditOutcome | null;
  readonly cause: string | null;
  readonly count: number;
}

/**
 * Begins an audit with a row for each selected entry. The entries of one host are as far apart in it as possible, so
 * that the pace for a host seldom delays the others. Null when no entry is selected.
 */
export async function createAudit(
  db: Db,
  given: { readonly id: string; readonly tier: AuditTier; readonly selection: AuditSelection },
): Promise<Audit | null> {
  const { id, tier } = given;
  const { words, condition } = selected(given.selection);
  await run(db)`
    with selected as (
      select entries.id, (entries.operator_decision is not null or entries.is_paused) as is_paused, row_number() over (
        partition by substring(entries.endpoint from ${HOST_IN_URL}) order by entries.id
      ) as place
      from entries join entry_details as details on details.entry_id = entries.id
      where ${condition}
    ), begun as (
      insert into audits (id, tier, selection, entries, state)
      select ${id}, ${tier}, ${words}, count(*), 'running' from selected having count(*) > 0
    )
    insert into audit_outcomes (audit_id, entry_id, place, outcome, cause, at)
    select ${id}, id, place, case when is_paused then 'paused' end,
      case when is_paused then 'operator-decision' end, case when is_paused then now() end
    from selected`;
  return readAudit(db, id);
}

const HOST_IN_URL = '^[a-z]+://(\\[[^]]*\\]|[^/:?#]+)';

/** A selection in words, and as a condition. */
function selected(selection: AuditSelection): {
  readonly words: string;
  readonly condition: RawBuilder<unknown>;
} {
  switch (selection.kind) {
    case 'all':
      return { words: 'all servers', condition: sql`true` };
    case 'stale':
      return {
        words: `servers that were not tested in ${selection.days} days`,
        condition: sql`not exists (
          select from results where results.entry_id = entries.id
            and started_at >= now() - ${selection.days}::double precision * interval '1 day'
        )`,
      };
    case 'query': {
      const searched = searchedWords(selection.text).map(({ text }) => text);
      return {
        words: `servers that match "${selection.text}"`,
        // Each word of the search is the beginning of a word of the entry.
        condition: sql`cardinality(${searched}::text[]) > 0 and not exists (
          select from unnest(${searched}::text[]) as prefix
          where not exists (select from unnest(entries.words) as word where starts_with(word, prefix))
        )`,
      };
    }
    case 'changed':
      return {
        words: 'servers whose capabilities changed since their last test',
        condition: sql`exists (
          select from (
            select at, is_changed from audit_outcomes
            where audit_outcomes.entry_id = entries.id and capabilities_digest is not null
            order by at desc limit 1
          ) as seen
          where seen.is_changed and not exists (
            select from results where results.entry_id = entries.id and started_at > seen.at
          )
        )`,
      };
  }
}

export async function readAudit(db: Db, id: string): Promise<Audit | null> {
  const [audit] = await selectAudits(db, sql`id = ${id}`);
  return audit ?? null;
}

/** The newest audits, the last one first. */
export async function readAudits(db: Db, max: number): Promise<readonly Audit[]> {
  return (await selectAudits(db, sql`true`)).slice(0, max);
}

function selectAudits(db: Db, where: ReturnType<typeof sql>): Promise<readonly Audit[]> {
  return allRows<Audit>(db)`
    select id, tier, selection, entries, state, reason, started_at as "startedAt", ended_at as "endedAt"
    from audits where ${where} order by started_at desc, id desc`;
}

/** Stores an outcome once: a later one of the same entry in the same audit changes nothing. */
export function keepOutcome(
  db: Db,
  audited: { readonly auditId: string; readonly entryId: string },
  found: FoundOutcome,
  ending: RawBuilder<unknown> = sql`select`,
): Promise<void> {
  return run(db)`with ${outcomeKept(audited, found, ending)} select`;
}

/**
 * The same as parts of a statement.
 *
 * @param ending ends the attempt in the same statement; if it returns no row, nothing is stored
 */
export function outcomeKept(
  { auditId, entryId }: { readonly auditId: string; readonly entryId: string },
  { outcome, cause, verdict, failed, capabilitiesDigest, isChanged, isSuspect }: FoundOutcome,
  ending: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    ended as (${ending}), kept as (
      update audit_outcomes set outcome = ${outcome}, cause = ${cause}, verdict = ${verdict},
      failed = ${[...failed]}::text[], capabilities_digest = ${capabilitiesDigest}, is_changed = ${isChanged},
      is_suspect = ${isSuspect}, at = clock_timestamp()
      where audit_id = ${auditId} and entry_id = ${entryId} and outcome is null and exists (select from ended)
    )`;
}

/** The books: their sum is the number of entries of the audit. */
export function countOutcomes(db: Db, auditId: string): Promise<readonly OutcomeCount[]> {
  return allRows<OutcomeCount>(db)`
    select outcome, cause, count(*)::integer as count from audit_outcomes where audit_id = ${auditId}
    group by outcome, cause order by outcome, count desc, cause`;
}

/**
 * Ends an audit, or interrupts it; what waits in the queue is taken back. What workers still find out for a frozen audit
 * is not stored: the reason for freezing it affects them as well.
 */
export async function endAudit(
  db: Db,
  id: string,
  state: Exclude<Audit['state'], 'running'>,
  reason: string | null = null,
): Promise<void> {
  const kept = state === 'frozen' ? 'completed' : 'active';
  await db.transaction().execute(async (transaction) => {
    await run(transaction)`
      update audits set state = ${state}, reason = ${reason}, ended_at = now() where id = ${id}`;
    await run(transaction)`
      delete from pgboss.job
      where name = 'audit' and state < ${kept}::pgboss.job_state and data ->> 'auditId' = ${id}`;
  });
}

/**
 * Continues an audit. What is undecided is found again, and what was tried in vain is tried as often as before: the reason
 * may have been on the side of the directory.
 */
export async function continueAudit(db: Db, id: string): Promise<Audit> {
  return db.transaction().execute(async (transaction) => {
    await run(transaction)`
      update audits set state = 'running', reason = null, ended_at = null where id = ${id}`;
    await run(transaction)`
      update audit_outcomes set outcome = null, cause = null, is_suspect = false, at = null,
        is_queued = is_queued and outcome is null, tries = 0, not_before = '-infinity', put_off = 0
      where audit_id = ${id} and (outcome = 'undecided' or outcome is null)`;
    const audit = await readAudit(transaction, id);
    if (audit === null) throw new Error(`there is no audit ${id}`);
    return audit;
  });
}

/** An entry that no later audit looked at is then new to the next one. */
const KEPT_DAYS = 90;

/** Deletes old audits, one at a time, because each may have a row for every entry. */
export async function purgeAudits(db: Db): Promise<void> {
  const rows = await allRows<{ id: string }>(db)`
    select id from audits
    where started_at < now() - ${KEPT_DAYS}::integer * interval '1 day' and state <> 'running'
    order by started_at`;
  for (const { id } of rows) await run(db)`delete from audits where id = ${id}`;
}
