import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { judgeReport } from '../../src/check/judge-report.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { checkHere } from '../check/check-here.ts';
import type { RunningServer } from '../natural/natural-server.ts';
import { serveNatural } from '../natural/serve-natural.ts';
import { object, text } from '../natural/shapes.ts';
import { PATIENT } from '../patience.ts';

const TIMEOUT_MS = 2000;

let server: RunningServer | null = null;
afterEach(async () => server?.close());

it('a run whose deadline ends exploring says so, and is judged to the same report again', async () => {
  let calls = 0;
  const functions = [
    {
      name: 'getGreeting',
      description: 'Returns a greeting.',
      parameters: object({ name: text('Name') }),
      returns: object({ greeting: text('Greeting') }),
      examples: [{ name: 'Ada' }],
      run: ({ name }: { name: string }) => {
        calls += 1;
        return { greeting: `Hello, ${name}!` };
      },
    },
  ];
  server = await serveNatural({ name: 'x', version: '1', description: 'Greets.', functions }, 'B');
  // The deadline is over in the middle of exploring, after a number of calls.
  const clock = {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + (calls > 10 ? PATIENT.deadlineMs : 0),
  };
  const result = await checkHere(
    server.url,
    { ...PATIENT, seed: 7, only: ['inputs/*'], latency: { off: true } },
    { signal: new AbortController().signal, clock },
  );
  expect(result.facts.find(({ name }) => name === 'explored')?.text).toMatch(
    /^\d+ calls of one function with generated inputs; the time was over before all calls of "getGreeting" were made$/,
  );
  expect(result.verdict).toBe('incomplete');
  expect(result.findings.map(({ outcome, received }) => [outcome, received])).toEqual([
    ['undecided', 'none: deadline'],
  ]);
  expect(serialiseReport(await judgeReport(result))).toBe(serialiseReport(result));
});

it('an answer that takes long ends nothing, and neither does one that is not given in time', async () => {
  const inputs: string[] = [];
  const functions = [
    {
      name: 'getGreeting',
      description: 'Returns a greeting.',
      parameters: object({ name: text('Name') }),
      returns: object({ greeting: text('Greeting') }),
      examples: [{ name: 'Ada' }],
      run: async ({ name }: { name: string }) => {
        inputs.push(name);
        if (name === '') await delay(10 * TIMEOUT_MS);
        if (name === '😀') await delay(TIMEOUT_MS / 4);
        return { greeting: `Hello, ${name}!` };
      },
    },
  ];
  server = await serveNatural({ name: 'x', version: '1', description: 'Greets.', functions }, 'B');
  const { findings } = await checkHere(
    server.url,
    { ...PATIENT, requestTimeoutMs: TIMEOUT_MS, seed: 7, only: ['inputs/*'], latency: { off: true } },
    { signal: new AbortController().signal },
  );
  expect(new Set(inputs).size).toBeGreaterThan(8);
  // Once, and once more to be sure; nothing smaller is tried.
  expect(inputs.filter((input) => input === '').length).toBe(2);
  expect(findings.map(({ id, outcome }) => [id, outcome])).toEqual([['inputs/valid-answered', 'failed']]);
});
