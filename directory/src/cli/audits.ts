import { say, UsageError } from 'probity/command-line';
import {
  type AuditChange,
  auditLines,
  booksOf,
  describeChange,
  haveChanged,
  isQuotable,
  readChanges,
  wordsOfOutcome,
} from '../auditing/audit-changes.ts';
import { type Audit, countOutcomes, readAudit, readAudits } from '../auditing/audits.ts';
import type { Db } from '../db/tables.ts';
import { csvTable, print } from './print.ts';
import { commandFor, type StoreFlags, withStore } from './store-flags.ts';

interface AuditsFlags extends StoreFlags {
  readonly json?: boolean;
  readonly csv?: boolean;
}

const MAX_LISTED = 50;
const MAX_SHOWN = 20;

/** Lists the audits, or prints one: its books, and what changed since the audits before. */
export async function audits(id: string | undefined, flags: AuditsFlags): Promise<void> {
  if (flags.json === true && flags.csv === true) throw new UsageError('Choose one of --json and --csv.');
  if (id === undefined && flags.csv === true)
    throw new UsageError('--csv prints the changes of one audit: give its id.');
  await withStore(flags, async ({ db }) => {
    if (id === undefined) return list(db, flags);
    const audit = await requireAudit(db, id, flags);
    if (flags.csv === true) return printCsv(db, audit, flags);
    if (flags.json !== true) return printAudit(db, audit, flags);
    for await (const line of auditLines(db, audit)) await print(line);
  });
}

export async function requireAudit(db: Db, id: string, flags: StoreFlags): Promise<Audit> {
  const audit = await readAudit(db, id);
  if (audit !== null) return audit;
  throw new UsageError(`No audit with the id "${id}". List the audits with: ${commandFor('audits', flags)}`);
}

async function list(db: Db, { json, ...flags }: AuditsFlags): Promise<void> {
  const known = await readAudits(db, MAX_LISTED);
  if (known.length === 0) say(`There are no audits. Begin one with: ${commandFor('audit', flags)}`);
  for (const audit of known) {
    const { id, tier, state, entries, selection } = audit;
    await print(
      json === true
        ? `${JSON.stringify(audit)}\n`
        : `${id}  ${tier}  ${state}  ${entries} servers  ${selection}\n`,
    );
  }
}

/** The books of an audit as a table, and the first changes. */
export async function printAudit(db: Db, audit: Audit, flags: StoreFlags): Promise<void> {
  const books = booksOf(audit, await countOutcomes(db, audit.id));
  const lines = [
    `audit     ${audit.id}, tier ${audit.tier}, ${audit.selection}`,
    `state     ${audit.state}${audit.reason === null ? '' : `: ${audit.reason}`}`,
    `began     ${audit.startedAt.toISOString()}${audit.endedAt === null ? '' : `, ended ${audit.endedAt.toISOString()}`}`,
    ...books.counts.map(
      ({ outcome, cause, count }) =>
        `${String(count).padStart(9)} ${wordsOfOutcome(outcome)}${cause === null ? '' : `: ${cause}`}`,
    ),
    `${String(books.sum).padStart(9)} together, of ${audit.entries} servers${books.balance ? '' : ': THE BOOKS DO NOT BALANCE'}`,
  ];
  await print(`${lines.join('\n')}\n`);
  if (!isQuotable(audit)) return;
  let changes = 0;
  for await (const change of readChanges(db, audit.id)) {
    changes += 1;
    if (changes === 1) await print('changes since the last audit of each server:\n');
    if (changes <= MAX_SHOWN) await print(`  ${change.entryId}  ${describeChange(change)}\n`);
  }
  if (changes === 0) await print('no changes since the last audit of each server\n');
  if (changes > MAX_SHOWN)
    await print(`  and ${changes - MAX_SHOWN} more: ${commandFor(`audits ${audit.id} --csv`, flags)}\n`);
}

const CSV = csvTable<AuditChange>({
  id: ({ entryId }) => entryId,
  endpoint: ({ endpoint }) => endpoint,
  change: describeChange,
  outcome_before: ({ before }) => before?.outcome ?? null,
  cause_before: ({ before }) => before?.cause ?? null,
  verdict_before: ({ before }) => before?.verdict ?? null,
  outcome: ({ after }) => after.outcome,
  cause: ({ after }) => after.cause,
  verdict: ({ after }) => after.verdict,
  failed: ({ after }) => after.failed.join(' '),
  capabilities_changed: ({ before, after }) => (before === null ? null : String(haveChanged(before, after))),
});

async function printCsv(db: Db, audit: Audit, flags: StoreFlags): Promise<void> {
  if (!isQuotable(audit))
    throw new UsageError(
      `The audit ${audit.id} is ${audit.state}, so its changes must not be quoted${audit.reason === null ? '' : `: ${audit.reason}`} Continue it with: ${commandFor(`audit --continue ${audit.id}`, flags)}`,
    );
  await print(CSV.head);
  for await (const change of readChanges(db, audit.id)) await print(CSV.line(change));
}
