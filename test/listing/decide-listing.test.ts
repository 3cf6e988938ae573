import { describe, expect, test } from 'vitest';
import { decideListing, decisionOf } from '../../src/listing/decide-listing.ts';
import { measuredIn, recordOf } from '../../src/listing/measured.ts';
import {
  type Gathered,
  LISTING_LEVELS,
  type ListingJudgement,
  type ListingRequirement,
  type ListingRow,
  type ParsedListing,
} from '../../src/model/listing.ts';
import type { TestResult } from '../../src/model/report.ts';
import { wholeListing } from '../../src/suite/listing/parse-listing.ts';
import { answered, ENDPOINT, gatheredOf, listingOf, requirements, testedAs, unanswered } from './listings.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'c'.repeat(64)}`;

interface Case {
  readonly listing?: ParsedListing;
  readonly result?: TestResult | null;
  readonly gathered?: Gathered | null;
}

function decide({
  listing = listingOf(),
  result = testedAs(),
  gathered = gatheredOf(),
}: Case): ListingJudgement {
  return decideListing({ listing, result, gathered, nowIso: '2026-06-01T00:00:00Z', requirements });
}

function rowOf(judgement: ListingJudgement, requirement: ListingRequirement): ListingRow {
  const row = judgement.rows.find((one) => one.requirement === requirement);
  if (row === undefined) throw new Error(requirement);
  return row;
}

function outcomes({ rows }: ListingJudgement): Readonly<Record<string, string>> {
  return Object.fromEntries(
    rows.map(({ requirement, outcome }) => [requirement.slice('listing/'.length), outcome]),
  );
}

function texts({ evidence }: ListingRow): string {
  return evidence.map(({ kind, text }) => `${kind}: ${text}`).join('\n');
}

test('lists a complete listing of a conforming server, audited or not', () => {
  const judgement = decide({});
  expect(outcomes(judgement)).toEqual({
    'mcp-support': 'passed',
    'documented-api': 'passed',
    'security-audit': 'failed',
    'open-or-verifiable': 'passed',
    record: 'passed',
  });
  expect(judgement.decision).toBe('list');
});

test('levels match the registry', () => {
  const registry = requirements.filter(({ id }) => id.startsWith('listing/'));
  expect(Object.fromEntries(registry.map(({ id, level }) => [id, level]))).toEqual(LISTING_LEVELS);
});

test('missing and undecided evidence has expected, received and a remedy', () => {
  const judgements = [
    decide({ listing: listingOf({ name: null, repository: null }), result: null, gathered: null }),
    decide({
      result: testedAs({ 'health/status-200': 'failed' }, 'A'),
      gathered: gatheredOf({ repository: null }),
    }),
  ];
  for (const { evidence } of judgements.flatMap(({ rows }) => rows))
    for (const one of evidence) {
      expect(one.text).not.toBe('');
      if (one.kind === 'found') continue;
      for (const key of ['expected', 'received', 'remedy'] as const) expect(one[key], one.text).not.toBe('');
      expect(one.where.file).toBe('probity.listing.yaml');
    }
});

describe('MCP support', () => {
  const outcomeFor = (result: TestResult | null): readonly [string, string] => {
    const row = rowOf(decide({ result }), 'listing/mcp-support');
    return [row.outcome, texts(row)];
  };

  test.each(
    ['health', 'capabilities', 'execute', 'errors', 'robustness'].map(
      (area) =>
        requirements.find(({ id, level }) => id.startsWith(`${area}/`) && level === 'MUST')?.id ?? area,
    ),
  )('is missing if %s fails', (id) => {
    const [outcome, text] = outcomeFor(testedAs({ [id]: 'failed' }));
    expect(outcome).toBe('failed');
    expect(text).toContain(id);
  });

  test('does not depend on optional rows or rows that do not apply', () => {
    expect(outcomeFor(testedAs({ 'health/content-type': 'failed' }))[0]).toBe('passed');
    expect(outcomeFor(testedAs({ 'health/status-200': 'inapplicable' }))[0]).toBe('passed');
    expect(outcomeFor(testedAs({ 'documentation/examples': 'failed' }))[0]).toBe('passed');
  });

  test.each([
    ['undecided', 'undecided'],
    [null, 'left out'],
  ] as const)('is undecided if a row is %s', (rowOutcome, words) => {
    const [outcome, text] = outcomeFor(testedAs({ 'execute/status-200': rowOutcome }));
    expect(outcome).toBe('undecided');
    expect(text).toContain('execute/status-200');
    expect(text).toContain(words);
  });

  test('is missing if one row fails and another is undecided', () => {
    expect(outcomeFor(testedAs({ 'health/status-200': 'failed', 'execute/status-200': null }))[0]).toBe(
      'failed',
    );
  });

  test('is undecided without a test or without an answer', () => {
    expect(outcomeFor(null)).toEqual(['undecided', expect.stringContaining('no test of this listing')]);
    expect(outcomeFor(testedAs({}, 'B', { reachable: false }))[0]).toBe('undecided');
  });
});

describe('a documented API', () => {
  const outcomeFor = (parts: Case): string => rowOf(decide(parts), 'listing/documented-api').outcome;
  const documented = listingOf({ documentation: 'https://example.org/docs' });

  test.each([
    // Requirements of the level SHOULD keep nobody out.
    ['documentation/examples', 'failed', 'passed'],
    ['documentation/function-descriptions', 'failed', 'passed'],
    ['documentation/parameter-types', 'failed', 'passed'],
    ['documentation/parameter-types', 'inapplicable', 'passed'],
    ['documentation/examples', 'undecided', 'undecided'],
    ['documentation/examples', null, 'undecided'],
    // No function at all.
    ['documentation/function-descriptions', 'inapplicable', 'undecided'],
  ] as const)('with %s %s is %s', (id, rowOutcome, expected) => {
    expect(outcomeFor({ result: testedAs({ [id]: rowOutcome }) })).toBe(expected);
  });

  test.each([
    ['no address', listingOf(), null, 'failed'],
    ['a page', documented, answered(200), 'passed'],
    ['an empty page', documented, answered(200, 0), 'failed'],
    ['a missing page', documented, answered(404), 'failed'],
    ['a page behind a login', documented, answered(403), 'undecided'],
    ['no answer', documented, unanswered('timeout'), 'undecided'],
    ['no request', documented, null, 'undecided'],
  ] as const)(
    'in form A, with %s, is decided by the documentation',
    (_, listing, documentation, expected) => {
      const result = testedAs({ 'documentation/parameter-types': 'inapplicable' }, 'A');
      expect(outcomeFor({ listing, result, gathered: gatheredOf({ documentation }) })).toBe(expected);
    },
  );

  test('names what is recommended and not met', () => {
    const row = rowOf(
      decide({ result: testedAs({ 'documentation/function-descriptions': 'failed' }) }),
      'listing/documented-api',
    );
    expect(texts(row)).toContain('not met: documentation/function-descriptions');
  });

  test('in form B needs no page besides the descriptors', () => {
    expect(outcomeFor({ gathered: gatheredOf({ documentation: answered(404) }), listing: documented })).toBe(
      'passed',
    );
  });
});

describe('a security audit', () => {
  const outcomeFor = (parts: Case): string => rowOf(decide(parts), 'listing/security-audit').outcome;
  const report = (date: string): ParsedListing =>
    listingOf({
      audited: 'true',
      auditReport: `{ url: "https://example.org/a", date: ${date}, auditor: B }`,
    });
  const read = gatheredOf({ auditReport: answered(200) });

  test.each([
    ['read', report('2026-05-31'), read, 'passed'],
    ['of today', report('2026-06-01'), read, 'passed'],
    ['of tomorrow', report('2026-06-02'), read, 'failed'],
    ['gone', report('2026-05-31'), gatheredOf({ auditReport: answered(410) }), 'failed'],
    [
      'out of reach',
      report('2026-05-31'),
      gatheredOf({ auditReport: unanswered('name-not-found') }),
      'undecided',
    ],
    ['not named', listingOf(), read, 'failed'],
  ] as const)('that is %s', (_, listing, gathered, expected) => {
    expect(outcomeFor({ listing, gathered })).toBe(expected);
  });

  test('does not outweigh a security row that fails', () => {
    const [id = ''] = requirements.map((one) => one.id).filter((one) => one.startsWith('security/'));
    expect(
      outcomeFor({ listing: report('2026-05-31'), gathered: read, result: testedAs({ [id]: 'failed' }) }),
    ).toBe('failed');
  });

  test.each([
    ['passed', 'a row that only a second user can decide', 'security/identities-apart'],
    ['undecided', 'a row of every test', 'security/access'],
  ] as const)('is %s without %s', (expected, _, id) => {
    const result = testedAs({ [id]: null });
    expect(outcomeFor({ listing: report('2026-05-31'), gathered: read, result })).toBe(expected);
  });

  test('that is claimed without a report is reported, but does not reject the listing', () => {
    const judgement = decide({ listing: listingOf({ audited: 'true' }) });
    expect(texts(rowOf(judgement, 'listing/security-audit'))).toContain(
      'claims an audit, but names no audit report',
    );
    expect(judgement.decision).toBe('list');
  });
});

describe('openness', () => {
  const closed = { repository: null, openSource: 'false' };
  const built = (build: string): ParsedListing => listingOf({ ...closed, build });
  const deployed = listingOf({
    ...closed,
    deployment: `{ instructions: "https://example.org/make", digest: "${DIGEST}" }`,
  });
  const artifact = `artifact: "https://example.org/a"`;
  const verified: Gathered['attestation'] = {
    kind: 'verified',
    digest: DIGEST,
    signer: { identity: 'me', issuer: 'https://i' },
  };

  test.each([
    ['a repository', listingOf(), gatheredOf(), 'passed'],
    ['one that is gone', listingOf(), gatheredOf({ repository: answered(404) }), 'failed'],
    ['one that requires a login', listingOf(), gatheredOf({ repository: answered(401) }), 'undecided'],
    ['one whose server is broken', listingOf(), gatheredOf({ repository: answered(503) }), 'undecided'],
    [
      'an unreachable one',
      listingOf(),
      gatheredOf({ repository: unanswered('connection-refused') }),
      'undecided',
    ],
    [
      'one that is private',
      listingOf(),
      gatheredOf({ repository: unanswered('address-refused', 'harness') }),
      'failed',
    ],
    ['one that was not fetched', listingOf(), null, 'undecided'],
    ['nothing', listingOf(closed), gatheredOf(), 'failed'],
    ['a claim alone', listingOf({ repository: null }), gatheredOf(), 'failed'],
    [
      'an artifact with its digest',
      built(`{ ${artifact}, digest: "${DIGEST}" }`),
      gatheredOf({ artifact: answered(200) }),
      'passed',
    ],
    [
      'an artifact with another digest',
      built(`{ ${artifact}, digest: "${OTHER}" }`),
      gatheredOf({ artifact: answered(200) }),
      'failed',
    ],
    [
      'an artifact that is gone',
      built(`{ ${artifact}, digest: "${DIGEST}" }`),
      gatheredOf({ artifact: answered(404) }),
      'failed',
    ],
    [
      'an artifact out of reach',
      built(`{ ${artifact}, digest: "${DIGEST}" }`),
      gatheredOf({ artifact: unanswered('timeout') }),
      'undecided',
    ],
    ['an artifact alone', built(`{ ${artifact} }`), gatheredOf({ artifact: answered(200) }), 'failed'],
    ['a digest alone', built(`{ digest: "${DIGEST}" }`), gatheredOf(), 'failed'],
    ['an empty build', built('{}'), gatheredOf(), 'failed'],
    [
      'an attestation',
      built(`{ digest: "${DIGEST}", attestation: {} }`),
      gatheredOf({ attestation: verified }),
      'passed',
    ],
    [
      'a forged one',
      built(`{ digest: "${DIGEST}", attestation: {} }`),
      gatheredOf({ attestation: { kind: 'refused', problem: 'x' } }),
      'failed',
    ],
    [
      'one that cannot be verified',
      built(`{ digest: "${DIGEST}", attestation: {} }`),
      gatheredOf({ attestation: { kind: 'unverifiable', problem: 'x', remedy: 'y' } }),
      'undecided',
    ],
    [
      'one out of reach',
      built(`{ digest: "${DIGEST}", attestation: "https://example.org/b" }`),
      gatheredOf({ attestation: { kind: 'unfetched', fetched: unanswered('timeout') } }),
      'undecided',
    ],
    [
      'an attestation with an artifact that does not match the digest',
      built(`{ ${artifact}, digest: "${OTHER}", attestation: {} }`),
      gatheredOf({ artifact: answered(200), attestation: verified }),
      'failed',
    ],
    ['a deployment', deployed, gatheredOf({ instructions: answered(200) }), 'passed'],
    ['a deployment with an empty page', deployed, gatheredOf({ instructions: answered(200, 0) }), 'failed'],
  ] as const)('by %s', (_, listing, gathered, expected) => {
    const row = rowOf(decide({ listing, gathered }), 'listing/open-or-verifiable');
    expect(row.outcome, texts(row)).toBe(expected);
  });

  test('by any one way, with evidence of each', () => {
    const listing = listingOf({ build: `{ digest: "${DIGEST}", attestation: {} }` });
    const gathered = gatheredOf({ repository: answered(404), attestation: verified });
    const row = rowOf(decide({ listing, gathered }), 'listing/open-or-verifiable');
    expect(row.outcome).toBe('passed');
    expect(texts(row)).toContain('missing: the source repository is missing');
    expect(texts(row)).toContain('was signed by me, issued by https://i');
  });

  test('that is claimed without a repository is reported', () => {
    expect(
      texts(rowOf(decide({ listing: listingOf({ repository: null }) }), 'listing/open-or-verifiable')),
    ).toContain('claims open source, but names no repository');
  });
});

describe('the record', () => {
  const rowFor = (parts: Case): ListingRow => rowOf(decide(parts), 'listing/record');

  test.each([
    'id',
    'name',
    'description',
    'category',
    'tags',
    'transport',
    'audited',
    'openSource',
    'endpoint',
  ])('fails without %s, and names it', (field) => {
    const row = rowFor({ listing: listingOf({ [field]: null }) });
    expect(row.outcome).toBe('failed');
    expect(row.evidence).toMatchObject([{ kind: 'missing', key: field }]);
  });

  test('uses measured values, and claims only without them', () => {
    const claimed = listingOf({ uptime: '50', responseTime: '1', lastUpdated: '2020-01-01T00:00:00Z' });
    const measured = measuredIn(testedAs());
    expect(measured).toEqual({ uptime: 100, responseTime: 12.5, lastUpdated: '2026-01-31T12:00:02.500Z' });
    expect(recordOf(wholeListing(claimed), measured)).toMatchObject(measured);
    expect(recordOf(wholeListing(claimed), measured)?.figures).toBe('observed');
    expect(recordOf(wholeListing(claimed), { ...measured, responseTime: null })?.figures).toBe('claimed');
    expect(recordOf(wholeListing(claimed), null)).toMatchObject({
      uptime: 50,
      responseTime: 1,
      figures: 'claimed',
    });
    expect(recordOf(wholeListing(listingOf()), null)).toBeNull();
    expect(Object.keys(recordOf(wholeListing(claimed), null) ?? {})).toHaveLength(13);
  });

  test('is undecided while something is neither measured nor claimed', () => {
    expect(rowFor({ result: null }).outcome).toBe('undecided');
    expect(rowFor({ result: testedAs({}, 'B', { responseTimes: [] }) }).evidence).toMatchObject([
      { kind: 'undecided', key: 'responseTime' },
    ]);
    const listing = listingOf({ uptime: '50', responseTime: '1', lastUpdated: '2020-01-01T00:00:00Z' });
    expect(rowFor({ result: null, listing }).outcome).toBe('passed');
  });

  test.each([`${ENDPOINT}/`, 'HTTP://127.0.0.1:3000'])('recognises %s as the tested server', (endpoint) => {
    expect(rowFor({ listing: listingOf({ endpoint }) }).outcome).toBe('passed');
  });

  test('fails if another server was tested', () => {
    const row = rowFor({ listing: listingOf({ endpoint: 'http://127.0.0.1:3001' }) });
    expect(row).toMatchObject({ outcome: 'failed', evidence: [{ key: 'endpoint', where: { line: 10 } }] });
  });
});

describe('the decision', () => {
  const rows = (...found: readonly (ListingRow['outcome'] | null)[]): readonly ListingRow[] =>
    (Object.entries(LISTING_LEVELS) as [ListingRequirement, ListingRow['level']][]).flatMap(
      ([requirement, level], index) => {
        const outcome = found[index];
        return outcome === null || outcome === undefined
          ? []
          : [{ requirement, level, outcome, evidence: [] }];
      },
    );

  test.each([
    [['passed', 'passed', 'passed', 'passed', 'passed'], 'list'],
    [['passed', 'passed', 'failed', 'passed', 'passed'], 'list'],
    [['passed', 'passed', 'undecided', 'passed', 'passed'], 'list'],
    [['passed', 'passed', null, 'passed', 'passed'], 'list'],
    [['undecided', 'passed', 'passed', 'passed', 'passed'], 'hold'],
    [['passed', 'passed', 'passed', 'passed', null], 'hold'],
    [['failed', 'undecided', 'passed', 'passed', 'passed'], 'reject'],
    [['passed', 'passed', 'passed', 'failed', null], 'reject'],
    [[], 'hold'],
  ] as const)('of %j is %s', (found, decision) => {
    expect(decisionOf(rows(...found))).toBe(decision);
  });
});
