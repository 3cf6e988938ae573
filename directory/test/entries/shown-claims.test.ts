import type { ListingEvidence, ListingRow } from 'probity/model';
import { describe, expect, it } from 'vitest';
import { shownClaims } from '../../src/entries/shown-claims.ts';

const CLAIMED = { audited: true, openSource: true, transport: ['http', 'websocket'] } as const;

function row(
  requirement: ListingRow['requirement'],
  outcome: ListingRow['outcome'],
  evidence: readonly ListingEvidence[] = [],
): ListingRow {
  return { requirement, level: 'MUST', outcome, evidence };
}

function missing(key: string): ListingEvidence {
  return {
    kind: 'missing',
    key,
    text: 'it is missing',
    expected: 'something',
    received: 'nothing',
    remedy: 'Give it.',
    fault: 'server',
    where: { file: 'listing', line: 1, column: 1 },
  };
}

describe('the claims of a listing', () => {
  it('are shown until a check contradicts them', () => {
    expect(shownClaims(CLAIMED, [], null)).toEqual(CLAIMED);
    const undecided = [
      row('listing/security-audit', 'undecided'),
      row('listing/open-or-verifiable', 'undecided'),
    ];
    expect(shownClaims(CLAIMED, undecided, { results: [] })).toEqual(CLAIMED);
  });

  it('are hidden when a check contradicts them, and never exceed the listing', () => {
    const rows = [
      row('listing/security-audit', 'failed'),
      row('listing/open-or-verifiable', 'passed', [missing('repository')]),
    ];
    const result = {
      results: [{ id: 'transport/websocket', level: 'MUST', outcome: 'failed', spec: '2.1' } as const],
    };
    const none = { audited: false, openSource: false, transport: ['http'] };
    expect(shownClaims(CLAIMED, rows, result)).toEqual(none);
    expect(shownClaims({ ...CLAIMED, transport: ['websocket'] }, rows, result).transport).toEqual(['http']);
    expect(shownClaims({ ...CLAIMED, audited: false, openSource: false }, [], null)).toMatchObject({
      audited: false,
      openSource: false,
    });
  });
});
