import { decideListing, gatherEvidence } from 'probity';
import {
  type Gathered,
  type Listing,
  type ListingJudgement,
  type ParsedListing,
  type Requirement,
  type TestResult,
  withListing,
} from 'probity/model';
import { harnessVersion, loadRegistry } from 'probity/service';
import { Recent } from '../db/recent.ts';
import type { Policy } from '../settings/policy.ts';
import type { ServiceSettings } from '../settings/settings.ts';

/** A test result with the listing requirements; the judgement is null when the listing checks themselves failed. */
export interface JudgedTest {
  readonly result: TestResult;
  readonly judgement: ListingJudgement | null;
}

/** An artifact may take six times as long as a page; this share keeps both within the deadline of a test. */
const PAGE_SHARE = 1 / 6;
/** How long successful fetches are reused by later tests. Failed ones are fetched again. */
const KEPT_MS = 60 * 60_000;
const MAX_KEPT = 1000;

/** Fetches the documents that listings name, within the deadline of a test; successful fetches are kept for a while. */
export function createGatherer(settings: FetchOptions & Pick<ServiceSettings, 'testDeadlineMs'>) {
  const { publicOnly, ca, testDeadlineMs } = settings;
  const timeoutMs = testDeadlineMs * PAGE_SHARE;
  const kept = new Recent<{ readonly gathered: Gathered; readonly atMs: number }>(MAX_KEPT);
  return async (listing: Listing, signal: AbortSignal): Promise<Gathered> => {
    const key = JSON.stringify(listing);
    const known = kept.get(key);
    if (known !== undefined && Date.now() - known.atMs < KEPT_MS) return known.gathered;
    const gathered = await gather(parsedFrom(listing), { publicOnly, ca, timeoutMs, signal });
    if (isComplete(gathered)) kept.set(key, { gathered, atMs: Date.now() });
    else kept.delete(key);
    return gathered;
  };
}

/** Decides whether an entry may be shown, from its listing and its last test. */
export async function judgeTested(
  listing: Listing,
  result: TestResult,
  gathered: Gathered,
): Promise<JudgedTest> {
  const judged = withListing(
    result,
    { listing: parsedFrom(listing), gathered },
    await requirements(),
    // It was tested, so the directory does not let its author refuse that.
    testRemedy(listing, false),
  );
  const { listing: rows = [], listingDecision: decision = 'hold' } = judged;
  return { result: judged, judgement: { decision, rows } };
}

function isComplete(gathered: Gathered): boolean {
  return Object.values(gathered).every(
    (one: Gathered[keyof Gathered]) =>
      one === null || one.kind === 'verified' || (one.kind === 'answered' && one.status === 200),
  );
}

/** How to fetch the documents that a listing names. */
export type FetchOptions = Pick<ServiceSettings, 'publicOnly' | 'ca'>;

/** The decision of the listing checks on a server without a test: at best `hold`. Null options: nothing is fetched. */
export async function judgeUntested(
  listing: Listing,
  options: FetchOptions | null,
  { mayRefuseTests }: Pick<Policy['pace'], 'mayRefuseTests'>,
): Promise<ListingJudgement> {
  const parsed = parsedFrom(listing);
  return decideListing({
    listing: parsed,
    result: null,
    gathered: options === null ? null : await gather(parsed, options),
    nowIso: new Date().toISOString(),
    requirements: await requirements(),
    testRemedy: testRemedy(listing, mayRefuseTests),
  });
}

/** The author's own check would change nothing here. */
function testRemedy({ id, tests }: Listing, mayRefuseTests: boolean): string {
  if (tests === false && mayRefuseTests)
    return `Its author refuses tests; list it with: \`probity directory approve ${id} --reason "..."\`.`;
  return `A running service or worker of this directory tests it; \`probity directory test ${id}\` waits for the result.`;
}

let registry: Promise<readonly Requirement[]> | null = null;

function requirements(): Promise<readonly Requirement[]> {
  registry ??= loadRegistry().then((rows) => [...rows.values()]);
  return registry;
}

function gather(
  listing: ParsedListing,
  { ca, ...options }: FetchOptions & Readonly<{ timeoutMs?: number; signal?: AbortSignal }>,
): Promise<Gathered> {
  const userAgent = `probity/${harnessVersion()} (listing check)`;
  return gatherEvidence(listing, { userAgent, ...options, ...(ca === null ? {} : { ca }) });
}

/** Converts a stored listing to the input of the listing checks. It has no problems and no line numbers. */
export function parsedFrom(listing: Listing): ParsedListing {
  return {
    where: { file: `listing of ${listing.id}`, line: 1, column: 1 },
    said: listing,
    problems: [],
    places: {},
  };
}
