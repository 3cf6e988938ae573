import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { TargetError } from '../../src/check/check-options.ts';
import { checkServers } from '../../src/check/threads/check-servers.ts';
import { DEFAULT_HEAP_MB } from '../../src/check/threads/worker.ts';
import { createReference } from '../../src/reference/contract.ts';
import { type Answering, type ServedTarget, serve } from '../conforming/serve.ts';
import { deadAddress } from '../free-port.ts';
import { PATIENT } from '../patience.ts';

const served: ServedTarget[] = [];
afterEach(async () => {
  for (const { close } of served.splice(0)) await close();
});

const OPTIONS = { ...PATIENT, only: ['health/reachable'], latency: { off: true } } as const;

async function server(answer: Answering = createReference({ form: 'A' }).answer): Promise<ServedTarget> {
  const target = await serve(answer);
  served.push(target);
  return target;
}

describe('checkServers', () => {
  test('yields each server with its result, though one of them hangs', async () => {
    const good = await Promise.all([server(), server(), server()]);
    const hanging = await server(() => new Promise(() => undefined));
    const gone = await deadAddress();
    const servers = [
      { url: hanging.url, options: { ...OPTIONS, deadlineMs: 600_000 } },
      { url: gone, options: OPTIONS },
      ...good.map(({ url }) => ({ url, options: OPTIONS })),
    ];
    const verdicts = new Map<string, string>();
    for await (const { url, result } of checkServers(servers, { jobs: 2 })) {
      verdicts.set(url, result.reachable ? result.verdict : 'unreachable');
      if (verdicts.size === servers.length - 1) break;
    }
    expect(Object.fromEntries(verdicts)).toEqual({
      ...Object.fromEntries(good.map(({ url }) => [url, 'pass'])),
      [gone]: 'unreachable',
    });
  });

  test('yields a server that never answers as unreachable', async () => {
    const hanging = await server(() => new Promise(() => undefined));
    const servers = [{ url: hanging.url, options: { ...OPTIONS, requestTimeoutMs: 500 } }];
    for await (const { url, result } of checkServers(servers)) {
      expect(url).toBe(hanging.url);
      expect(result.reachable).toBe(false);
    }
    expect.assertions(2);
  });

  test('starts no further check until a result is taken, and interrupts the rest when the loop ends', async () => {
    const first = await server();
    const hanging = await server(() => new Promise(() => undefined));
    const last = await server();
    const servers = [first, hanging, last].map(({ url }) => ({ url, options: OPTIONS }));
    for await (const { url } of checkServers(servers, { jobs: 2 })) {
      expect(url).toBe(first.url);
      break;
    }
    expect(last.arrived).toEqual([]);
  });

  test('prints no warning of Node.js for many servers at once', async () => {
    const warnings: string[] = [];
    const listen = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', listen);
    const { url } = await server();
    const servers = Array.from({ length: 12 }, () => ({ url, options: OPTIONS }));
    let passed = 0;
    for await (const { result } of checkServers(servers, { jobs: 12 }))
      passed += Number(result.verdict === 'pass');
    process.off('warning', listen);
    expect({ passed, warnings }).toEqual({ passed: 12, warnings: [] });
  });

  test('checks the next server in the thread of the one before', async () => {
    const servers = await Promise.all([server(), server(), server()]);
    const threads: unknown[] = [];
    const note = (thread: unknown): void => void threads.push(thread);
    process.on('worker', note);
    const verdicts: string[] = [];
    for await (const { result } of checkServers(
      servers.map(({ url }) => ({ url, options: OPTIONS })),
      { jobs: 1 },
    ))
      verdicts.push(result.verdict);
    process.off('worker', note);
    expect(verdicts).toEqual(['pass', 'pass', 'pass']);
    expect(threads.length).toBeLessThanOrEqual(1);
  });

  test.each([
    { of: 'only untimed checks', timed: 0, shares: true },
    { of: 'a timed check among untimed ones', timed: 1, shares: false },
  ])('shares threads: $shares, for $of', async ({ timed, shares }) => {
    const { url } = await server();
    const heapsMb: number[] = [];
    const note = ({ resourceLimits }: Worker): void =>
      void heapsMb.push(resourceLimits?.maxOldGenerationSizeMb ?? 0);
    process.on('worker', note);
    const jobs = 2 * availableParallelism();
    const servers = Array.from({ length: jobs + 1 }, (_, index) =>
      index < timed ? { url, options: { ...PATIENT, only: OPTIONS.only } } : { url, options: OPTIONS },
    );
    const verdicts: string[] = [];
    for await (const { result } of checkServers(servers, { jobs })) verdicts.push(result.verdict);
    process.off('worker', note);
    expect(new Set(verdicts)).toEqual(new Set(['pass']));
    expect(heapsMb.some((heapMb) => heapMb > DEFAULT_HEAP_MB)).toBe(shares);
    if (shares) expect(heapsMb.length).toBeLessThanOrEqual(availableParallelism());
  });

  test('refuses an address before the first request', async () => {
    const good = await server();
    const servers = [{ url: good.url }, { url: 'ftp://example.com' }];
    expect(() => checkServers(servers)).toThrow(TargetError);
    expect(good.arrived).toEqual([]);
  });
});
