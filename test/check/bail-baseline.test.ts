import { describe, expect, it, onTestFinished } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { isJsonObject, ownProperty } from '../../src/json/json.ts';
import type { FirstFailure } from '../../src/judge/first-failure.ts';
import type { TestResult } from '../../src/model/report.ts';
import { baselineOf } from '../../src/report/baseline.ts';
import { jsonAnswer, referenceWith, serve } from '../conforming/serve.ts';
import { startHttpSubject } from '../mcp/http-subject.ts';
import { PATIENT } from '../patience.ts';
import { checkHere } from './check-here.ts';

const UNTIMED: CheckOptions = { ...PATIENT, seed: 7, latency: { off: true } };
type Times = Readonly<Record<string, readonly unknown[]>>;
const TERMS = { reason: 'known', until: '2999-12-31', all: false };

async function check(
  url: string,
  options: CheckOptions,
): Promise<{ readonly told: readonly FirstFailure[]; readonly result: TestResult }> {
  const told: FirstFailure[] = [];
  const signal = new AbortController().signal;
  const result = await checkHere(url, options, { signal, onFailure: (one) => void told.push(one) });
  return { told, result };
}

describe('a failure that the baseline accepts', () => {
  const ONLY: CheckOptions = { ...UNTIMED, only: ['execute/execution-time'] };
  /** Each of them in turn. */
  const NEGATIVE = { add: [-1, 'fast'], greet: [-1] };

  /** A server whose functions give these execution times. */
  async function withTimes(times: Times): Promise<string> {
    const counts = new Map<string, number>();
    const { url, close } = await serve(
      referenceWith('B', (answer, { path, body }) => {
        if (path !== '/execute' || answer.status !== 200) return answer;
        const name = String(ownProperty(JSON.parse(Buffer.from(body).toString()), 'function'));
        const own = times[name];
        if (own === undefined) return answer;
        const count = counts.get(name) ?? 0;
        counts.set(name, count + 1);
        const value = JSON.parse(answer.body) as object;
        return jsonAnswer(200, { ...value, executionTime: own[count % own.length] });
      }),
    );
    onTestFinished(close);
    return url;
  }

  const acceptedOf = async (times: Times) =>
    baselineOf((await check(await withTimes(times), ONLY)).result, TERMS).entries;

  it('is neither told nor the end of the check, also when other answers repeat it', async () => {
    const knownFailures = await acceptedOf(NEGATIVE);
    expect(new Set(knownFailures.map((entry) => entry.function))).toEqual(new Set(['add', 'greet']));
    const { told, result } = await check(await withTimes(NEGATIVE), { ...ONLY, bail: true, knownFailures });
    expect(told).toEqual([]);
    expect(result.facts.map(({ name }) => name)).not.toContain('bail');
  });

  it('hides no failure of the same requirement in another function', async () => {
    const knownFailures = await acceptedOf({ add: [-1] });
    const url = await withTimes({ add: [-1], greet: [-1] });
    expect((await check(url, { ...ONLY, knownFailures })).told).toMatchObject([{ function: 'greet' }]);
    const { told, result } = await check(url, { ...ONLY, bail: true, knownFailures });
    expect(told).toMatchObject([{ requirement: 'execute/execution-time', function: 'greet' }]);
    expect(result.facts.map(({ name }) => name)).toContain('bail');
  });

  it('is told when its entry has expired, and when it is another defect in the same place', async () => {
    const knownFailures = await acceptedOf({ add: [-1] });
    const expired = knownFailures.map((entry) => ({ ...entry, until: '2020-01-01' }));
    const told = { requirement: 'execute/execution-time', function: 'add' };
    expect(
      (await check(await withTimes({ add: [-1] }), { ...ONLY, knownFailures: expired })).told,
    ).toMatchObject([told]);
    expect((await check(await withTimes({ add: [null] }), { ...ONLY, knownFailures })).told).toMatchObject([
      told,
    ]);
  });
});

describe('a failure of a row on all answers', () => {
  const OF_MCP: CheckOptions = { ...UNTIMED, requestTimeoutMs: 5000, mcp: {} };

  /** A server that changes the results of these tools. */
  async function changing(
    names: readonly string[],
    more: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { url, close } = await startHttpSubject({
      only: ['add', 'greet', 'show'],
      change: (answer, request) => {
        const name = ownProperty(ownProperty(request as never, 'params'), 'name');
        const result = ownProperty(answer as never, 'result');
        if (request.method !== 'tools/call' || !names.includes(String(name)) || !isJsonObject(result))
          return answer;
        return { ...(answer as object), result: { ...result, ...more } } as never;
      },
    });
    onTestFinished(close);
    return url;
  }

  it('is told of another tool than the accepted one, if the row has a finding for each tool', async () => {
    const options = { ...OF_MCP, only: ['mcp/result-content'] };
    const more = { content: 'sum' };
    const { result } = await check(await changing(['add'], more), options);
    const knownFailures = baselineOf(result, TERMS).entries;
    expect(knownFailures).toHaveLength(1);
    expect((await check(await changing(['add'], more), { ...options, knownFailures })).told).toEqual([]);
    const { told } = await check(await changing(['add', 'greet'], more), { ...options, knownFailures });
    expect(told).toMatchObject([{ requirement: 'mcp/result-content', function: 'greet' }]);
  });

  it('is not told of another tool, if the row has one finding for all answers', async () => {
    const options = { ...OF_MCP, only: ['mcp/meta-keys'] };
    const more = { _meta: { 'no key': 1 } };
    const { result } = await check(await changing(['add'], more), options);
    const knownFailures = baselineOf(result, TERMS).entries;
    expect(knownFailures).toHaveLength(1);
    const both = await check(await changing(['add', 'greet'], more), { ...options, knownFailures });
    expect(both.result.findings).toHaveLength(1);
    expect(both.told).toEqual([]);
  });
});
