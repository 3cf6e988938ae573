import { afterEach, describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import { checkServer } from '../../src/check/threads/check-server.ts';
import type { FirstFailure } from '../../src/judge/first-failure.ts';
import { baselineOf } from '../../src/report/baseline.ts';
import { type Breakage, type BrokenServer, startBrokenServer } from '../cli/broken-server.ts';
import { PATIENT } from '../patience.ts';

let server: BrokenServer | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

const UNTIMED: CheckOptions = { ...PATIENT, seed: 7, latency: { off: true } };
/** The version is no part of a status. */
const unhealthy: Breakage = (path, body) => (path === '/health' ? body.replace('"status"', '"state"') : body);

async function broken(breakage: Breakage | null): Promise<BrokenServer> {
  server = await startBrokenServer(breakage);
  return server;
}

describe('a check that ends with its first failure', () => {
  it('sends nothing more, and fails', async () => {
    const { url, requests } = await broken(unhealthy);
    const whole = await checkServer(url, UNTIMED);
    const sentByWhole = requests();
    const bailed = await checkServer(url, { ...UNTIMED, bail: true });
    const sent = requests() - sentByWhole;
    expect(whole.verdict).toBe('fail');
    expect(bailed.verdict).toBe('fail');
    expect(bailed.reachable).toBe(true);
    // What was under way with the first read of /health.
    expect(sent).toBeLessThan(sentByWhole / 4);
    const failedIn = ({ results }: typeof whole): readonly string[] =>
      results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
    expect(failedIn(bailed).length).toBeGreaterThan(0);
    expect(failedIn(whole)).toEqual(expect.arrayContaining([...failedIn(bailed)]));
    expect(
      bailed.findings.filter(({ outcome, message }) => outcome === 'undecided' && message.includes('--bail')),
    ).not.toEqual([]);
    expect(bailed.settings.bail).toBe(true);
  });

  it('calls no function after a list of functions that breaks a rule of its form', async () => {
    const called: string[] = [];
    const { url } = await broken((path, body) => {
      if (path === '/execute') called.push(body);
      return path === '/capabilities' ? body.replace('"description":', '"about":') : body;
    });
    const bailed = await checkServer(url, { ...UNTIMED, bail: true });
    expect(bailed.results.find(({ id }) => id === 'capabilities/server-info')?.outcome).toBe('failed');
    expect(called).toEqual([]);
  });

  it('is judged again from its report as it was judged, and counts no call that was not made', async () => {
    const { url } = await broken((path, body) =>
      path === '/execute' ? body.replace('"requestId":"', '"requestId":"not-') : body,
    );
    const bailed = await checkServer(url, { ...UNTIMED, bail: true });
    const again = await judgeReport(bailed);
    expect(again.results).toEqual(bailed.results);
    expect(again.findings).toEqual(bailed.findings);
    expect(again.verdict).toBe(bailed.verdict);
    expect(bailed.facts.find(({ name }) => name === 'explored')?.text).toMatch(/^0 calls of \d+ functions/);
  });

  it('goes on where the failure is known, and where nothing fails', async () => {
    const { url, breakSo } = await broken(unhealthy);
    const whole = await checkServer(url, UNTIMED);
    const known = await checkServer(url, {
      ...UNTIMED,
      bail: true,
      knownFailures: baselineOf(whole, { reason: 'known', until: '2999-12-31', all: false }).entries,
    });
    const open = ({ results }: typeof known): readonly string[] =>
      results.filter(({ outcome }) => outcome === 'undecided').map(({ id }) => id);
    expect(open(known)).toEqual(open(whole));
    breakSo(null);
    const mended = await checkServer(url, UNTIMED);
    const bailing = await checkServer(url, { ...UNTIMED, bail: true });
    expect(bailing.results.map(({ id, outcome }) => [id, outcome])).toEqual(
      mended.results.map(({ id, outcome }) => [id, outcome]),
    );
  });

  it('tells of the first failure while it goes on, once', async () => {
    const { url, requests } = await broken(unhealthy);
    const told: (FirstFailure & { readonly after: number })[] = [];
    await checkServer(url, {
      ...UNTIMED,
      onFailure: (failure) => void told.push({ ...failure, after: requests() }),
    });
    expect(told).toEqual([
      {
        requirement: expect.stringMatching(/^health\//),
        function: null,
        request: `GET ${url}/health`,
        message: expect.stringContaining('status'),
        expected: expect.any(String),
        after: expect.any(Number),
      },
    ]);
    expect(told[0]?.after).toBeLessThan(requests() / 2);
  });
});

describe('a check after another one of the same server', () => {
  it('judges the answers of the other one, and asks only for what it lacks', async () => {
    const { url, requests, breakSo } = await broken(null);
    const first = await checkServer(url, UNTIMED);
    const before = requests();
    // Nobody asks for it again.
    breakSo(unhealthy);
    const answered = first.exchanges.filter(({ request }) => !request.key.startsWith('capabilities/'));
    const again = await checkServer(url, { ...UNTIMED, answered });
    expect(again.results.map(({ id, outcome }) => [id, outcome])).toEqual(
      first.results.map(({ id, outcome }) => [id, outcome]),
    );
    expect(requests() - before).toBe(first.exchanges.length - answered.length);
    expect(again.facts).toContainEqual({
      name: 'answered',
      text: `${answered.length} of ${first.exchanges.length} answers are of an earlier check, and were not asked for again`,
    });
  });
});
