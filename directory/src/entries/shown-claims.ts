import type { Listing, ListingRow, TestResult, Transport } from 'probity/model';

/** The claims of a listing that are shown and searched. */
export interface ShownClaims {
  readonly audited: boolean;
  readonly openSource: boolean;
  readonly transport: readonly Transport[];
}

/**
 * The claims of a listing without those that a check contradicts. Undecided and unchecked claims are shown. Pure.
 */
export function shownClaims(
  { audited, openSource, transport }: Pick<Listing, 'audited' | 'openSource' | 'transport'>,
  rows: readonly ListingRow[],
  result: Pick<TestResult, 'results'> | null,
): ShownClaims {
  const audit = rows.find(({ requirement }) => requirement === 'listing/security-audit');
  const openness = rows.find(({ requirement }) => requirement === 'listing/open-or-verifiable');
  const lacksRepository = openness?.evidence.some(
    (one) => one.kind === 'missing' && (one.key === 'repository' || one.key === 'openSource'),
  );
  const lacksWebsocket = result?.results.some(
    ({ id, outcome }) => id === 'transport/websocket' && outcome === 'failed',
  );
  return {
    audited: audited && audit?.outcome !== 'failed',
    openSource: openSource && lacksRepository !== true,
    // The check itself reached the server over http, so that is what remains of a claim of websocket alone.
    transport: lacksWebsocket === true ? ['http'] : transport,
  };
}
