import { say, UsageError } from 'probity/command-line';
import { type ListingDecision, type ListingRow, visible } from 'probity/model';
import {
  type EntryOverview,
  type OverviewFilter,
  readAllListings,
  readOverviews,
} from '../entries/entry-overviews.ts';
import { csvTable, print } from './print.ts';
import { commandFor, completed, type StoreFlags, withStore } from './store-flags.ts';

interface ListFlags extends StoreFlags, OverviewFilter {
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** Prints entries, with the reasons why one is not listed. */
export async function list(flags: ListFlags): Promise<void> {
  if (flags.json === true && flags.csv === true) throw new UsageError('Choose one of --json and --csv.');
  const write =
    flags.json === true
      ? jsonOf
      : flags.csv === true
        ? CSV.line
        : (entry: ShownOverview) => textOf(entry, flags);
  let count = 0;
  await withStore(flags, async ({ db }) => {
    if (flags.csv === true) await print(CSV.head);
    for await (const entry of readOverviews(db, flags)) {
      count += 1;
      await print(write({ ...entry, reasons: whyOf(entry).map((reason) => completed(reason, flags)) }));
    }
  });
  if (count === 0) say('There are no such entries.');
}

/** Why an entry is in its state, each reason once. Pure. */
export function whyOf(entry: EntryOverview): readonly string[] {
  const { decision, operatorReason, awaitsFigures, rows, missing, duplicates, lookAlikes, gateRemedy } =
    entry;
  const operator = operatorReason === null ? [] : [`the operator: ${visible(operatorReason)}`];
  if (awaitsFigures) return [awaitsWords(entry), ...operator];
  if (operatorReason !== null) return operator;
  const ofRows = reasonsOf(decision, rows);
  const found = [
    ...(gateRemedy === null ? [] : [visible(gateRemedy)]),
    ...ofRows,
    // What the rows leave undecided is said with their names already.
    ...missing.map(visible).filter((one) => !ofRows.some((reason) => reason.endsWith(`: ${one}`))),
  ];
  const why = decision !== 'list' && found.length === 0 ? ['it has not been tested yet'] : found;
  return [
    ...why,
    ...(duplicates.length === 0 ? [] : [`it has the same endpoint as ${duplicates.join(', ')}`]),
    ...(lookAlikes.length === 0 ? [] : [`its name looks like that of ${lookAlikes.join(', ')}`]),
  ];
}

/** That nothing but figures keeps an entry from being listed. Pure. */
export function awaitsWords({ decidedBy }: Pick<EntryOverview, 'decidedBy'>): string {
  const who = decidedBy === 'operator' ? 'the operator' : 'the listing checks';
  return `approved by ${who}, waits for its figures: a running service measures its uptime and its response time`;
}

/** Why it is in its state, as it is shown. */
type ShownOverview = EntryOverview & { readonly reasons: readonly string[] };

function textOf(entry: ShownOverview, flags: StoreFlags): string {
  const { id, name, decision, status, lastTestAt, lastVerdict, operatorReason } = entry;
  const tested = lastTestAt === null ? 'never tested' : `${lastVerdict} ${lastTestAt.toISOString()}`;
  const line = [id, decision, status, figuresOf(entry), tested, visible(name)].join('  ');
  const advice =
    decision === 'reject' && operatorReason === null
      ? [`to list it all the same: ${commandFor(`approve ${id} --reason "..."`, flags)}`]
      : [];
  return `${[line, ...[...entry.reasons, ...advice].map((reason) => `  ${reason}`)].join('\n')}\n`;
}

/** A claim is marked as one, so that it cannot be taken for a measurement. */
export function figuresOf({
  uptime,
  responseTimeMs,
  figuresClaimed,
}: Pick<EntryOverview, 'uptime' | 'responseTimeMs' | 'figuresClaimed'>): string {
  const kind = figuresClaimed ? 'claimed ' : '';
  const shown = [
    uptime === null ? null : `${kind}uptime ${round(uptime)} %`,
    responseTimeMs === null ? null : `${kind}response time ${round(responseTimeMs)} ms`,
  ].filter((figure) => figure !== null);
  return shown.length === 0 ? 'no figures' : shown.join(', ');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function jsonOf(entry: ShownOverview): string {
  const {
    uptime,
    responseTimeMs,
    figuresClaimed,
    rows: _rows,
    operatorReason: _reason,
    gateRemedy: _gate,
    ...rest
  } = entry;
  const figures = { uptime, responseTimeMs };
  return `${JSON.stringify({
    ...rest,
    observed: figuresClaimed ? null : figures,
    claimed: figuresClaimed ? figures : null,
  })}\n`;
}

const CSV = csvTable<ShownOverview>({
  id: ({ id }) => id,
  name: ({ name }) => name,
  endpoint: ({ endpoint }) => endpoint,
  decision: ({ decision }) => decision,
  decided_by: ({ decidedBy }) => decidedBy,
  status: ({ status }) => status,
  observed_uptime: ({ uptime, figuresClaimed }) => textIf(!figuresClaimed, uptime),
  observed_response_time_ms: ({ responseTimeMs, figuresClaimed }) => textIf(!figuresClaimed, responseTimeMs),
  claimed_uptime: ({ uptime, figuresClaimed }) => textIf(figuresClaimed, uptime),
  claimed_response_time_ms: ({ responseTimeMs, figuresClaimed }) => textIf(figuresClaimed, responseTimeMs),
  last_test_at: ({ lastTestAt }) => lastTestAt?.toISOString() ?? null,
  last_verdict: ({ lastVerdict }) => lastVerdict,
  reasons: (entry) => entry.reasons.join('; '),
});

function textIf(isShown: boolean, figure: number | null): string | null {
  return isShown && figure !== null ? String(figure) : null;
}

/** Prints all listings, one line of JSON for each, as `import` reads them. */
export async function exportListings(flags: StoreFlags): Promise<void> {
  await withStore(flags, async ({ db }) => {
    for await (const listing of readAllListings(db))
      await print(`${JSON.stringify({ listing: 'v1', ...listing })}\n`);
  });
}

/**
 * Why an entry is not listed, a line for each reason: what failed, with its remedy, and for one on hold also what is
 * undecided. Pure.
 */
export function reasonsOf(decision: ListingDecision, rows: readonly ListingRow[]): readonly string[] {
  if (decision === 'list') return [];
  return rows.flatMap(({ requirement, level, outcome, evidence }) => {
    if (level === 'MAY' || outcome === 'passed') return [];
    const wanted = outcome === 'failed' ? 'missing' : 'undecided';
    return evidence.flatMap((one) =>
      one.kind === wanted ? [`${requirement} ${outcome}: ${visible(one.text)}. ${visible(one.remedy)}`] : [],
    );
  });
}
