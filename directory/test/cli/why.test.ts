import type { ListingEvidence } from 'probity/model';
import { expect, it } from 'vitest';
import { missingOf } from '../../src/checking/apply-policy.ts';
import { whyOf } from '../../src/cli/list.ts';
import type { EntryOverview } from '../../src/entries/entry-overviews.ts';

const undecided = (text: string): ListingEvidence => ({
  kind: 'undecided',
  fault: 'server',
  text,
  expected: 'a result',
  received: 'none',
  where: { file: 'l.yaml', line: 1, column: 1 },
  remedy: 'Give a sample.',
});

/** After a test that left two requirements undecided. */
function overviewOf(decision: EntryOverview['decision']): EntryOverview {
  const rows: EntryOverview['rows'] = [
    {
      requirement: 'listing/mcp-support',
      level: 'MUST',
      outcome: 'undecided',
      evidence: [undecided('40 % of the functions gave a result'), undecided('two calls are open')],
    },
  ];
  return {
    id: 'held',
    name: 'Held',
    endpoint: 'https://held.example',
    decision,
    awaitsFigures: false,
    decidedBy: 'checks',
    operatorReason: null,
    rows,
    status: 'undecided',
    missing: missingOf(null, { decision, rows }),
    gateRemedy: null,
    isDoubtful: false,
    duplicates: [],
    lookAlikes: [],
    uptime: 100,
    responseTimeMs: 1,
    figuresClaimed: false,
    lastTestAt: new Date(0),
    lastVerdict: 'incomplete',
  };
}

it('is said once for each reason, with the requirement that it leaves undecided', () => {
  expect(whyOf(overviewOf('hold'))).toEqual([
    'listing/mcp-support undecided: 40 % of the functions gave a result. Give a sample.',
    'listing/mcp-support undecided: two calls are open. Give a sample.',
  ]);
});

it('is said too of a listed entry whose last test left something open', () => {
  expect(whyOf(overviewOf('list'))).toEqual([
    '40 % of the functions gave a result. Give a sample.',
    'two calls are open. Give a sample.',
  ]);
});
