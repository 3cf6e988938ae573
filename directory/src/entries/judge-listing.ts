import { gatherEvidence } from 'probity';
import {
  type Gathered,
  type Listing,
  type ListingJudgement,
  type Requirement,
  type TestResult,
  withListing,
} from 'probity/model';
import { harnessVersion } from 'probity/service';
import type { ServiceSettings } from '../settings.ts';
import { parsedFrom } from './judge-untested.ts';

/** Decides whether an entry may be shown, from its listing and its last test. */
export interface JudgeListing {
  /** Fetches the documents that the listing names, within the deadline of a test. */
  gather(listing: Listing, signal: AbortSignal): Promise<Gathered>;
  judge(listing: Listing, result: TestResult, gathered: Gathered): JudgedTest;
}

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

export function createListingJudge(
  { publicOnly, ca, testDeadlineMs }: Pick<ServiceSettings, 'publicOnly' | 'ca' | 'testDeadlineMs'>,
  requirements: readonly Requirement[],
): JudgeListing {
  const kept = new Map<string, { readonly gathered: Gathered; readonly atMs: number }>();
  return {
    gather: async (listing, signal) => {
      const key = JSON.stringify(listing);
      const known = kept.get(key);
      if (known !== undefined && Date.now() - known.atMs < KEPT_MS) return known.gathered;
      const gathered = await gatherEvidence(parsedFrom(listing), {
        publicOnly,
        userAgent: `probity/${harnessVersion()} (listing check)`,
        timeoutMs: testDeadlineMs * PAGE_SHARE,
        signal,
        ...(ca === null ? {} : { ca }),
      });
      kept.delete(key);
      if (isComplete(gathered)) kept.set(key, { gathered, atMs: Date.now() });
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return gathered;
    },
    judge: (listing, result, gathered) => {
      const judged = withListing(result, { listing: parsedFrom(listing), gathered }, requirements);
      const { listing: rows = [], listingDecision: decision = 'hold' } = judged;
      return { result: judged, judgement: { decision, rows } };
    },
  };
}

function isComplete(gathered: Gathered): boolean {
  return Object.values(gathered).every(
    (one: Gathered[keyof Gathered]) =>
      one === null || one.kind === 'verified' || (one.kind === 'answered' && one.status === 200),
  );
}
