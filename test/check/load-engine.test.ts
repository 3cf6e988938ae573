import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LoadEngine, type LoadJob, startLoadEngine } from '../../src/check/bench/load-engine.ts';
import { OptionError } from '../../src/model/arguments.ts';
import { type RunningServer, startReferenceServer } from '../../src/reference/server.ts';

let server: RunningServer;
let engine: LoadEngine;

beforeEach(async () => {
  server = await startReferenceServer({ form: 'B' });
  engine = startLoadEngine();
});

afterEach(async () => {
  await engine.close();
  await server.close();
});

function jobOf(durationMs: number | null, maxRequests: number | null): LoadJob {
  return {
    transport: 'lean',
    options: { ca: null, publicOnly: false, timeoutMs: 10_000 },
    plan: {
      requests: [{ method: 'GET', url: `${server.url}/health`, headers: [], body: null, weight: 1 }],
      model: { kind: 'closed', connections: 1 },
      maxRequests,
      durationMs,
      warmUpMs: 0,
      requestTimeoutMs: 10_000,
      seed: 1,
      stopOnStatuses: [],
      maxWaiting: null,
    },
  };
}

const { signal } = new AbortController();

describe('the load engine', () => {
  test('ends a load with the error of its listener, and is ready for the next', async () => {
    const error = new Error('the listener’s own');
    const onProgress = (): void => {
      throw error;
    };
    await expect(engine.run(jobOf(600_000, null), { signal, onProgress })).rejects.toBe(error);
    const next = await engine.run(jobOf(null, 5), { signal });
    expect(next.series[0]?.count).toBe(5);
    expect(next.stoppedBy).toBeNull();
  });

  test.each<[string, (job: LoadJob) => readonly unknown[]]>([
    ['job', () => []],
    ['job', () => [5, { signal }]],
    ['job.transport', () => [{}, { signal }]],
    ['job.plan.model.kind', (job) => [{ ...job, plan: { ...job.plan, model: {} } }, { signal }]],
    ['job.plan.durationMs', (job) => [{ ...job, plan: { ...job.plan, durationMs: 2 ** 31 } }, { signal }]],
    ['watch', (job) => [job]],
    ['watch', (job) => [job, {}]],
    ['watch', (job) => [job, { signal, onProgress: 5 }]],
  ])('refuses a wrong %s', async (option, argsOf) => {
    const run = engine.run as (...args: readonly unknown[]) => Promise<unknown>;
    const refused = run(...argsOf(jobOf(null, 1)));
    await expect(refused).rejects.toBeInstanceOf(OptionError);
    await expect(refused).rejects.toHaveProperty('option', option);
  });
});
