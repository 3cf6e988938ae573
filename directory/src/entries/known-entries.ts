import { sql } from 'kysely';
import type { Listing, ListingDecision, Transport } from 'probity/model';
import type { Db } from '../db/open-store.ts';

/** The part of an entry that a new listing may leave as it is. */
interface KnownEntry {
  readonly endpoint: string;
  readonly protocol: 'mcp' | null;
  /** As JSON text, like the judgement. */
  readonly listing: string;
  readonly judgement: string;
  readonly decision: ListingDecision;
  readonly decided_by: 'checks' | 'operator';
  readonly audited: boolean;
  readonly open_source: boolean;
  readonly transport: readonly Transport[];
  readonly figures_claimed: boolean;
  readonly operator_decision: 'hold' | 'reject' | null;
}

interface PutRow extends Omit<KnownEntry, 'figures_claimed' | 'operator_decision'> {
  readonly id: string;
  readonly uptime: number | null;
  readonly response_time_ms: number | null;
  readonly speaks_http: boolean;
  readonly speaks_websocket: boolean;
}

/** Reads entries that are locked. */
export async function readKnown(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, KnownEntry>> {
  const { rows } = await sql<KnownEntry & { readonly id: string }>`
    select id, endpoint, protocol, listing, judgement, decision, decided_by, audited, open_source, transport,
      figures_claimed, operator_decision
    from entries join entry_details on entry_id = id where id = any(${[...ids]}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * A listed entry stays listed until its next test, unless the new listing itself is to be rejected; and claims that a
 * check contradicted stay hidden, unless the claim is new. At another endpoint, only a decision of the operator is kept.
 * Pure.
 */
export function keepKnown<Row extends PutRow>(row: Row, known: KnownEntry | undefined): Row {
  if (known === undefined) return row;
  const { operator_decision } = known;
  if (operator_decision !== null)
    return {
      ...keepKnown(row, { ...known, operator_decision: null }),
      decision: operator_decision,
      decided_by: 'operator',
    };
  if (isElsewhere(row, known)) return row;
  const before = JSON.parse(known.listing) as Listing;
  const contradicted = before.transport.filter((one) => !known.transport.includes(one));
  const left = row.transport.filter((one) => !contradicted.includes(one));
  const transport = left.length === 0 ? known.transport : left;
  // A listed entry has both figures: observed ones stay, claimed ones are those of the new listing.
  const hasFigures = !known.figures_claimed || (row.uptime !== null && row.response_time_ms !== null);
  const staysListed =
    row.decided_by === 'checks' && row.decision === 'hold' && known.decision === 'list' && hasFigures;
  const isIdentical =
    known.listing === row.listing && (row.decided_by === 'checks' || known.decision === 'list');
  return {
    ...row,
    transport,
    speaks_http: transport.includes('http'),
    speaks_websocket: transport.includes('websocket'),
    audited: row.audited && (known.audited || !before.audited),
    open_source: row.open_source && (known.open_source || !before.openSource),
    ...(staysListed || isIdentical
      ? { decision: known.decision, decided_by: known.decided_by, judgement: known.judgement }
      : {}),
  };
}

/** Whether nothing has to be written. Pure. */
export function isUnchanged(row: PutRow, known: KnownEntry | undefined): boolean {
  return (
    known !== undefined &&
    !isElsewhere(row, known) &&
    known.listing === row.listing &&
    known.decision === row.decision &&
    known.decided_by === row.decided_by
  );
}

function isElsewhere(row: PutRow, known: KnownEntry): boolean {
  return known.endpoint !== row.endpoint || known.protocol !== row.protocol;
}
