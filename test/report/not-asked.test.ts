import { afterEach, describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { checkServer } from '../../src/check/threads/check-server.ts';
import type { TestResult } from '../../src/model/report.ts';
import { applyBaseline, draftBaseline } from '../../src/report/baseline.ts';
import { diffResults } from '../../src/report/compare/diff-results.ts';
import { renderDiff } from '../../src/report/terminal/diff-terminal.ts';
import { parseBaseline, writeBaseline } from '../../src/suite/config/baseline.ts';
import { type Breakage, type BrokenServer, startBrokenServer } from '../cli/broken-server.ts';
import { PATIENT } from '../patience.ts';

let server: BrokenServer | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

async function started(breakage: Breakage | null = null): Promise<BrokenServer> {
  server = await startBrokenServer(breakage);
  return server;
}

const UNTIMED: CheckOptions = { ...PATIENT, seed: 7, latency: { off: true } };
const TERMS = { reason: 'known', until: '9999-12-31', all: false };

const problemsOf = (result: TestResult, baseline: Parameters<typeof applyBaseline>[1]) =>
  applyBaseline(result, baseline).baseline?.problems;

describe('a report that --bail cut short', () => {
  const check = async (): Promise<{ readonly whole: TestResult; readonly bailed: TestResult }> => {
    // The list comes before the calls, whose ids are judged with each call.
    const { url, breakSo } = await started((path, body) =>
      path === '/execute' ? body.replace('"requestId":"', '"requestId":"not-') : body,
    );
    const whole = await checkServer(url, UNTIMED);
    breakSo((path, body) => (path === '/health' ? body.replace('"status"', '"state"') : body));
    return { whole, bailed: await checkServer(url, { ...UNTIMED, bail: true }) };
  };

  it('says so, and makes nothing better or worse that one of the two did not ask for', async () => {
    const { whole, bailed } = await check();
    expect(bailed.facts).toContainEqual({ name: 'bail', text: expect.stringContaining('first failure') });
    expect(whole.facts.map(({ name }) => name)).not.toContain('bail');

    const later = diffResults(whole, bailed);
    expect(later.isBetter).toBe(false);
    // What failed at once fails in any case.
    expect(later.isWorse).toBe(true);
    const earlier = diffResults(bailed, whole);
    expect(earlier.isWorse).toBe(false);
    expect(earlier.isBetter).toBe(true);
    const met: TestResult = {
      ...bailed,
      results: whole.results.map((row) => ({ ...row, outcome: 'passed' })),
    };
    const [change] = diffResults(whole, met).rows;
    expect(change).toMatchObject({
      kind: 'not-compared',
      because: 'the newer check ended at its first failure',
    });
    expect(renderDiff(diffResults(whole, met))).toMatch(
      /^NOT COMPARED {2}execute\/.*\n {2}the newer check ended at its first failure$/m,
    );
  });

  it('leaves the entries of a baseline as they are, and writes no coverage', async () => {
    const { whole, bailed } = await check();
    const { baseline } = draftBaseline(whole, TERMS);
    expect(baseline.entries.length).toBeGreaterThan(0);
    expect(problemsOf(bailed, baseline)).toEqual([]);
    const again = draftBaseline(bailed, TERMS, baseline);
    expect(again.dropped).toEqual([]);
    expect(again.baseline.exercised).toBe(whole.coverage?.exercised);
  });

  it('advises to check without --bail where it asked for nothing', async () => {
    const { bailed } = await check();
    const open = bailed.findings.filter(({ message }) => message.includes('--bail'));
    expect(open.length).toBeGreaterThan(0);
    for (const { fix } of open) expect(fix).toContain('without --bail');
    const { notExercised = [] } = bailed.coverage ?? {};
    for (const { remedy } of notExercised) expect(remedy).toContain('without --bail');
  });
});

describe('a finding on a generated input', () => {
  it('is gone only where the input was sent again', async () => {
    const { url, breakSo } = await started();
    const only: CheckOptions = { ...UNTIMED, only: ['inputs/valid-answered'] };
    const other = await checkServer(url, { ...only, seed: 8 });
    const bodyOf = (exchange: TestResult['exchanges'][number]): string =>
      exchange.kind === 'answered' && 'text' in exchange.response.body ? exchange.response.body.text : '';
    const sums = ({ exchanges }: TestResult): readonly string[] =>
      exchanges
        .filter(({ request }) => request.key.startsWith('inputs/'))
        .flatMap((exchange) => /"sum":([^,}]+)/.exec(bodyOf(exchange))?.[1] ?? []);
    const known = new Set(sums(other));
    const [fresh] = sums(await checkServer(url, only)).filter((sum) => !known.has(sum));
    expect(fresh).toBeDefined();
    breakSo((_, body) => (body.includes(`"sum":${fresh}`) ? '<html>' : body));
    const found = await checkServer(url, only);
    expect(found.results).toMatchObject([{ id: 'inputs/valid-answered', outcome: 'failed' }]);

    const { baseline } = draftBaseline(found, TERMS);
    expect(parseBaseline(writeBaseline(baseline), 'probity.baseline.yaml', []).entries).toEqual(
      baseline.entries,
    );
    expect(baseline.entries[0]?.input).toMatch(/^[0-9a-f]{16}$/);
    expect(problemsOf(other, baseline)).toEqual([]);
    expect(diffResults(found, other)).toMatchObject({
      isBetter: false,
      rows: [{ kind: 'not-compared', because: 'the generated input that showed it was not sent' }],
    });

    const fixed: TestResult = {
      ...found,
      findings: [],
      results: found.results.map((row) => ({ ...row, outcome: 'passed' })),
    };
    expect(problemsOf(fixed, baseline)).toMatchObject([{ kind: 'gone' }]);
    expect(diffResults(found, fixed).isBetter).toBe(true);
    // Written by an earlier version, which did not note the input.
    const unknown = baseline.entries.map(({ input: _, ...entry }) => entry);
    expect(problemsOf(fixed, { entries: unknown })).toEqual([]);
  });
});
