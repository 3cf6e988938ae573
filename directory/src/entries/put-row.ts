import type { Selectable } from 'kysely';
import type { Listing, ListingDecision, ListingRow } from 'probity/model';
import type { EntriesTable, EntryDetailsTable, Gate } from '../db/tables.ts';
import { gateAdvice } from './gate-advice.ts';
import { lookAlikeKey } from './look-alikes.ts';
import { type ShownClaims, shownClaims } from './shown-claims.ts';
import { indexedColumns, labelKey, sortKey } from './words.ts';

/** The decision on a new entry. */
export interface FirstDecision {
  readonly decision: ListingDecision;
  readonly decidedBy: 'checks' | 'operator';
  readonly rows: readonly ListingRow[];
}

export interface NewEntry {
  readonly listing: Listing;
  readonly first: FirstDecision;
}

/** What is written of an entry. */
export type PutRow = ReturnType<typeof rowOf>;

export function rowOf({ listing, first }: NewEntry) {
  const { id, name, description, category, tags, endpoint, protocol = null } = listing;
  const claims = shownClaims(listing, first.rows, null);
  return {
    id,
    name,
    sort_name: sortKey(name),
    name_key: lookAlikeKey(name),
    description,
    category,
    category_key: labelKey(category),
    tags,
    tag_keys: [...new Set(tags.map(labelKey))],
    ...transportColumns(claims.transport),
    audited: claims.audited,
    open_source: claims.openSource,
    endpoint,
    protocol,
    ...indexedColumns(listing),
    listing: JSON.stringify(listing),
    uptime: listing.uptime ?? null,
    response_time_ms: listing.responseTime ?? null,
    checks_decision: first.decision,
    decided_by: first.decidedBy,
    judgement: JSON.stringify(first.rows),
    gate: null as string | null,
    /** Whether what the last test left undecided is still what keeps it from being decided. */
    keeps_missing: false,
    asked: {
      probeEvery: listing.probeEvery ?? null,
      testEvery: listing.testEvery ?? null,
      tests: listing.tests !== false,
    },
  };
}

function transportColumns(transport: ShownClaims['transport']) {
  return {
    transport,
    speaks_http: transport.includes('http'),
    speaks_websocket: transport.includes('websocket'),
  };
}

/** The part of an entry that a new listing may leave as it is. */
export type KnownEntry = Pick<Selectable<EntriesTable & EntryDetailsTable>, (typeof KNOWN_COLUMNS)[number]>;

export const KNOWN_COLUMNS = [
  'id',
  'endpoint',
  'protocol',
  'listing',
  'judgement',
  'checks_decision',
  'decided_by',
  'audited',
  'open_source',
  'transport',
  'operator_decision',
  'gate',
] as const;

/**
 * A listed entry stays listed until its next test, unless the new listing itself is to be rejected; and claims that a
 * check contradicted stay hidden, unless the claim is new. At another endpoint, only a decision of the operator is kept.
 * Pure.
 */
export function keepKnown(row: PutRow, known: KnownEntry | undefined): PutRow {
  if (known === undefined) return row;
  const kept = isElsewhere(row, known) ? row : keepAtEndpoint(row, known);
  return known.operator_decision === null ? kept : { ...kept, decided_by: 'operator' };
}

function keepAtEndpoint(row: PutRow, known: KnownEntry): PutRow {
  const before = JSON.parse(known.listing) as Listing;
  const contradicted = before.transport.filter((one) => !known.transport.includes(one));
  const left = row.transport.filter((one) => !contradicted.includes(one));
  const transport = left.length === 0 ? known.transport : left;
  const isListed = known.checks_decision === 'list';
  const staysListed = row.decided_by === 'checks' && row.checks_decision === 'hold' && isListed;
  const isIdentical = known.listing === row.listing && (row.decided_by === 'checks' || isListed);
  return {
    ...row,
    ...transportColumns(transport),
    audited: row.audited && (known.audited || !before.audited),
    open_source: row.open_source && (known.open_source || !before.openSource),
    ...(staysListed || isIdentical
      ? {
          checks_decision: known.checks_decision,
          decided_by: known.decided_by,
          judgement: known.judgement,
          keeps_missing: true,
        }
      : {}),
    gate: gateFor(row, known),
  };
}

/** How the server asked for a key, with what is to be done now: the new listing may name the key. Pure. */
function gateFor({ id, listing }: PutRow, { gate }: KnownEntry): string | null {
  if (gate === null) return null;
  const known = JSON.parse(gate) as Gate;
  return JSON.stringify({
    ...known,
    remedy: gateAdvice({ id, listing: JSON.parse(listing) as Listing }, known),
  });
}

/** Whether nothing has to be written. Pure. */
export function isUnchanged(row: PutRow, known: KnownEntry | undefined): boolean {
  return (
    known !== undefined &&
    !isElsewhere(row, known) &&
    known.listing === row.listing &&
    known.checks_decision === row.checks_decision &&
    known.decided_by === row.decided_by
  );
}

function isElsewhere(row: PutRow, known: KnownEntry): boolean {
  return known.endpoint !== row.endpoint || known.protocol !== row.protocol;
}
