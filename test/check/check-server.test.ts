import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { type CheckOptions, TargetError } from '../../src/check/check-options.ts';
import { checkServer, WorkerPool } from '../../src/check/threads/check-server.ts';
import { Check, runInWorker } from '../../src/check/threads/run-in-worker.ts';
import type { Clock } from '../../src/model/probe.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Span } from '../../src/model/span.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { createReference } from '../../src/reference/contract.ts';
import { startReferenceServer } from '../../src/reference/server.ts';
import { PATIENT } from '../patience.ts';
import { checkHere } from './check-here.ts';
import { tiresomeCapabilities } from './tiresome-capabilities.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A conforming server of form B whose capabilities are the given text. */
async function serverWith(capabilities: string, ready = Promise.resolve()): Promise<string> {
  const reference = createReference({ form: 'B' });
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const path = incoming.url ?? '';
    const { status, headers, body } = await reference.answer({
      method: incoming.method ?? '',
      path,
      contentType: incoming.headers['content-type'],
      body: Buffer.concat(chunks),
    });
    if (path === '/capabilities') await ready;
    response.writeHead(status, headers).end(path === '/capabilities' ? capabilities : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => closed(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function outcomesOf({ results }: TestResult): ReadonlySet<string> {
  return new Set(results.map(({ outcome }) => outcome));
}

describe('a check in a separate thread', () => {
  test('finds the same as a check in this thread', async () => {
    const server = await startReferenceServer({ form: 'A' });
    closing.push(server.close);
    const options = { seed: 7, skip: ['health/uptime-*'], latency: { off: true }, ...PATIENT };
    const own = await checkServer(server.url, options);
    const here = await checkHere(server.url, options, { signal: new AbortController().signal });
    const untimed = ({ results }: TestResult) => results.map(({ durationMs: _, ...row }) => row);
    expect(untimed(own)).toEqual(untimed(here));
    expect(own.findings).toEqual(here.findings);
    expect(own.exchanges.map(({ request }) => request.key).toSorted()).toEqual(
      here.exchanges.map(({ request }) => request.key).toSorted(),
    );
    expect(own.seed).toBe(7);
  });

  test('reports each request, like a check in this thread', async () => {
    const server = await startReferenceServer({ form: 'A' });
    closing.push(server.close);
    const keys: string[] = [];
    await checkServer(server.url, {
      ...PATIENT,
      only: ['health/reachable'],
      onProgress: ({ key }) => keys.push(key),
    });
    expect([...new Set(keys)]).toEqual(['health/read#0', 'health/read#1']);
  });

  test('reports its phases and waits, also of timed calls', async () => {
    const server = await startReferenceServer({ form: 'A' });
    closing.push(server.close);
    const spans: Span[] = [];
    const { exchanges } = await checkServer(server.url, {
      ...PATIENT,
      only: ['health/uptime-monotonic', 'performance/health-latency'],
      latency: { samples: 6 },
      onSpan: (span) => spans.push(span),
    });
    const namesOf = (kind: Span['kind']) =>
      spans.filter((span) => span.kind === kind).map(({ name }) => name);
    expect(namesOf('answer').toSorted()).toEqual(exchanges.map(({ request }) => request.key).toSorted());
    expect(namesOf('timed-calls')).toEqual(['performance/health']);
    expect(namesOf('pause')).toEqual([expect.stringMatching(/^[0-9]+ ms$/)]);
    expect(namesOf('timing-lock')).toContain('exclusive');
    const phases = namesOf('phase');
    expect(phases.indexOf('timed calls')).toBeGreaterThan(phases.indexOf('first calls'));
    expect(phases.at(-1)).toBe('building the report');
  });

  test('reports that it measures response times, and that it waits between reads', async () => {
    const server = await startReferenceServer({ form: 'A' });
    closing.push(server.close);
    const waits = new Set<string>();
    await checkServer(server.url, {
      ...PATIENT,
      only: ['health/uptime-monotonic', 'performance/health-latency'],
      latency: { samples: 6 },
      onProgress: ({ kind, waitingFor }) => {
        if (kind === 'waiting' && waitingFor !== null) waits.add(waitingFor);
      },
    });
    expect([...waits].sort()).toEqual(['repeated-read', 'timed-calls']);
  });

  test('is stopped at its deadline when judging takes longer, and nothing undecided passes', async () => {
    // Such a large answer is not stored for the report, so another answer must come first.
    let isHealthRead: () => void = () => undefined;
    const healthIsRead = new Promise<void>((resolve) => {
      isHealthRead = resolve;
    });
    const url = await serverWith(tiresomeCapabilities(), healthIsRead);
    let strike: () => void = () => undefined;
    const clock: Clock = {
      ...systemClock,
      sleep: (durationMs) => {
        expect(durationMs).toBeGreaterThan(50_000);
        return new Promise((resolve) => {
          strike = resolve;
        });
      },
    };
    const options: CheckOptions = {
      seed: 3,
      only: ['capabilities/*'],
      deadlineMs: 60_000,
      // Before it can be judged.
      onProgress: ({ kind, key }) => {
        if (kind === 'answered' && key.startsWith('health/read')) isHealthRead();
        if (kind === 'answered' && key.startsWith('capabilities/read')) strike();
      },
    };
    const result = await new WorkerPool(1).check(url, options, clock);
    expect(result.facts[0]).toMatchObject({ name: 'stopped', text: expect.stringContaining('60 s') });
    expect(result.verdict).toBe('incomplete');
    expect(result.seed).toBe(3);
    expect(result.exchanges.length).toBeGreaterThan(0);
    expect(outcomesOf(result)).not.toContain('passed');
    for (const { fault, outcome, fix } of result.findings) {
      expect({ fault, outcome }).toEqual({ fault: 'harness', outcome: 'undecided' });
      expect(fix).toContain('--deadline');
    }
  });

  test('is stopped at its memory limit', async () => {
    const url = await serverWith(tiresomeCapabilities());
    const result = await checkServer(url, { ...PATIENT, maxHeapMb: 24 });
    expect(result.facts[0]).toMatchObject({ name: 'stopped', text: expect.stringContaining('24 MB') });
    expect(result.verdict).toBe('incomplete');
    const fixes = new Set(result.findings.map(({ fix }) => fix));
    expect([...fixes]).toEqual([expect.stringContaining('memory')]);
  });

  test('ends at its deadline while its thread computes and cannot report that a server has started', async () => {
    const code = `require('node:worker_threads').parentPort.on('message', ({ port }) => {
      port.postMessage({ kind: 'opening', state: 'begins' });
      for (const until = Date.now() + 20_000; Date.now() < until; );
      port.postMessage({ kind: 'finished', result: null });
    });`;
    const worker = new Worker(code, { eval: true });
    closing.push(async () => void (await worker.terminate()));
    const check = new Check(
      'http://127.0.0.1:1',
      { deadlineMs: 1000 },
      new AbortController().signal,
      systemClock,
    );
    const outcome = await runInWorker(check, worker, null);
    expect(outcome).toMatchObject({ kind: 'stopped', because: expect.stringContaining('deadline') });
  });

  test('ends when it is interrupted, even while it judges', async () => {
    const url = await serverWith(tiresomeCapabilities());
    const interruption = new AbortController();
    const result = await checkServer(url, {
      ...PATIENT,
      signal: interruption.signal,
      onProgress: ({ kind, key }) => {
        if (kind === 'answered' && key.startsWith('capabilities/read')) interruption.abort();
      },
    });
    expect(result.verdict).toBe('incomplete');
    expect(result.reachable).toBe(true);
  });

  test.each([
    [
      'throws',
      (error: Error) => () => {
        throw error;
      },
    ],
    ['rejects', (error: Error) => () => Promise.reject(error)],
  ])('ends with the error of a listener that %s', async (_, listenerWith) => {
    const server = await startReferenceServer({ form: 'B' });
    closing.push(server.close);
    const error = new Error('the listener’s own');
    await expect(checkServer(server.url, { ...PATIENT, onProgress: listenerWith(error) })).rejects.toBe(
      error,
    );
  });

  test('sends nothing if interrupted before it began', async () => {
    const server = await startReferenceServer({ form: 'B' });
    closing.push(server.close);
    const result = await checkServer(server.url, { signal: AbortSignal.abort() });
    // Nothing was sent, so the target is not unreachable.
    expect(result.reachable).toBe(true);
    expect(result.verdict).toBe('incomplete');
  });

  test('does not call the target unreachable if it is stopped before the first answer', async () => {
    const server = await startReferenceServer({ form: 'B' });
    closing.push(server.close);
    const noTime: Clock = { ...systemClock, sleep: () => Promise.resolve() };
    const result = await new WorkerPool(1).check(server.url, { signal: AbortSignal.abort() }, noTime);
    expect(result).toMatchObject({ reachable: true, verdict: 'incomplete', exchanges: [] });
    expect(result.facts[0]).toMatchObject({ name: 'stopped' });
  });

  test('does not finish before it started, although the time of day is set back', async () => {
    let atMs = systemClock.nowMs();
    const nowMs = (): number => {
      atMs -= 60_000;
      return atMs;
    };
    const clock: Clock = { ...systemClock, nowMs };
    const { url, close } = await startReferenceServer({ form: 'B' });
    closing.push(close);
    const results = [
      await new WorkerPool(1).check(url, { signal: AbortSignal.abort() }, clock),
      await checkHere(
        url,
        { ...PATIENT, only: ['health/status-200'] },
        { signal: AbortSignal.abort(), clock },
      ),
    ];
    for (const { durationMs } of results) expect(durationMs).toBeGreaterThanOrEqual(0);
  });

  test('refuses invalid options before it sends anything', async () => {
    await expect(checkServer('ftp://example.com')).rejects.toThrow(TargetError);
    await expect(checkServer('http://127.0.0.1:1', { only: ['health/reachible'] })).rejects.toThrow(
      'Did you mean "health/reachable"?',
    );
    await expect(checkServer('http://127.0.0.1:1', { headers: { 'X-Bad': 'a\nb' } })).rejects.toThrow(
      'X-Bad',
    );
  });
});
