import { expect, it, onTestFinished } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { ownProperty } from '../../src/json/json.ts';
import type { FirstFailure } from '../../src/judge/first-failure.ts';
import type { TestResult } from '../../src/model/report.ts';
import { baselineOf } from '../../src/report/baseline.ts';
import { jsonAnswer, referenceWith, serve } from '../conforming/serve.ts';
import { startHttpSubject } from '../mcp/http-subject.ts';
import { PATIENT } from '../patience.ts';
import { checkHere } from './check-here.ts';

const UNTIMED: CheckOptions = { ...PATIENT, seed: 7, latency: { off: true } };
/** Without those that leave a call unanswered. */
const HARMLESS = ['add', 'greet', 'show', 'fail', 'bare', 'stats'];
/** Some of its requests are never answered. */
const OF_MCP: CheckOptions = { ...UNTIMED, requestTimeoutMs: 5000, mcp: {} };

async function check(
  url: string,
  options: CheckOptions,
): Promise<{
  readonly told: readonly FirstFailure[];
  readonly result: TestResult;
}> {
  const told: FirstFailure[] = [];
  const signal = new AbortController().signal;
  const result = await checkHere(url, options, { signal, onFailure: (one) => void told.push(one) });
  return { told, result };
}

const callsIn = ({ exchanges }: TestResult): number =>
  exchanges.filter(({ kind, request }) => kind === 'answered' && request.key.includes('[')).length;

it('a row on all answers of a server of MCP is told with the answer that breaks it, and ends a check', async () => {
  const { url, close } = await startHttpSubject({
    only: HARMLESS,
    change: (answer, request) => {
      if (request.method !== 'tools/call') return answer;
      const result = ownProperty(answer as never, 'result');
      return { ...(answer as object), result: { ...(result as object), content: 'sum' } } as never;
    },
  });
  onTestFinished(close);
  const whole = await check(url, OF_MCP);
  expect(whole.told).toMatchObject([
    {
      requirement: 'mcp/result-content',
      function: expect.any(String),
      message: expect.stringContaining('content'),
    },
  ]);
  const bailed = await check(url, { ...OF_MCP, bail: true });
  expect(bailed.told).toEqual(whole.told);
  expect(bailed.result.results.find(({ id }) => id === 'mcp/result-content')?.outcome).toBe('failed');
  // Those that were under way with the first one.
  expect(callsIn(bailed.result)).toBeLessThan(callsIn(whole.result) / 2);
});

it('a condition that nobody knows yet tells nothing: a server that refuses to be discovered opens no session', async () => {
  const { url, close } = await startHttpSubject({
    only: HARMLESS,
    era: 'stateless',
    change: (answer, request) =>
      request.method === 'server/discover'
        ? { jsonrpc: '2.0', id: request.id, error: { code: -32_603, message: 'no' } }
        : answer,
  });
  onTestFinished(close);
  const { told, result } = await check(url, OF_MCP);
  const failed = result.results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
  expect(failed).toContain('mcp/discover-answered');
  expect(failed).toEqual(expect.arrayContaining(told.map(({ requirement }) => requirement)));
});

it('a fault on a generated input that is not seen again is neither told nor the end of a check', async () => {
  const callIn = (body: string): string => {
    const { function: name, parameters } = JSON.parse(body) as Record<string, unknown>;
    return JSON.stringify([name, parameters]);
  };
  let accepted: string | null = null;
  let times = 0;
  const { url, close } = await serve(
    referenceWith('B', (answer, { path, body }) => {
      if (path !== '/execute' || times > 0 || answer.status !== 400) return answer;
      const text = Buffer.from(body).toString();
      if (accepted === null || callIn(text) !== accepted) return answer;
      times += 1;
      return jsonAnswer(200, { requestId: 'once', result: {}, executionTime: 0 });
    }),
  );
  onTestFinished(close);
  const options = { ...UNTIMED, only: ['inputs/invalid-refused'] };
  const healthy = await check(url, options);
  const refused = healthy.result.exchanges.flatMap((exchange) => {
    const { request } = exchange;
    if (exchange.kind !== 'answered' || exchange.response.status !== 400) return [];
    if (!request.key.startsWith('inputs/') || !('body' in request) || request.body === null) return [];
    return 'text' in request.body ? [callIn(request.body.text)] : [];
  });
  accepted = refused.find((one) => refused.filter((other) => other === one).length === 1) ?? null;
  expect(accepted).not.toBeNull();
  const { told, result } = await check(url, { ...options, bail: true });
  expect(times).toBe(1);
  expect(told).toEqual([]);
  expect(result.results).toMatchObject([{ id: 'inputs/invalid-refused', outcome: 'passed' }]);
});

const NOT_FOUND = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not found' };

it('a failure that the missing /execute may explain is told only once a call is handled', async () => {
  const missing = await serve(
    referenceWith('B', (answer, { method }) => (method === 'POST' ? NOT_FOUND : answer)),
  );
  onTestFinished(missing.close);
  let knownFailures: CheckOptions['knownFailures'] = [];
  for (const _ of ['without a baseline', 'with one']) {
    const { told, result } = await check(missing.url, { ...UNTIMED, knownFailures });
    knownFailures = baselineOf(result, { reason: 'known', until: '2999-12-31', all: false }).entries;
    expect(told).toEqual([]);
    const failed = result.findings.filter(({ outcome, level }) => outcome === 'failed' && level === 'MUST');
    expect(failed.map(({ message }) => message)).toEqual(['/execute is missing: nothing handles a call']);
  }
  const refusing = await serve(
    referenceWith('B', (answer, { path }) => {
      const isHandled = answer.status !== 200 && !answer.body.includes('FUNCTION_NOT_FOUND');
      return path !== '/execute' || isHandled ? answer : NOT_FOUND;
    }),
  );
  onTestFinished(refusing.close);
  const { told, result } = await check(refusing.url, UNTIMED);
  expect(told).toMatchObject([{ requirement: 'errors/unknown-function-status' }]);
  expect(result.results.find(({ id }) => id === 'errors/unknown-function-status')?.outcome).toBe('failed');
});
