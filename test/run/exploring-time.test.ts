import { afterEach, expect, it } from 'vitest';
import { judgeReport } from '../../src/app/judge-report.ts';
import { runCheck } from '../../src/app/run-check.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import type { RunningServer } from '../natural/natural-server.ts';
import { serveNatural } from '../natural/serve-natural.ts';
import { object, text } from '../natural/shapes.ts';
import { PATIENT } from '../patience.ts';

let server: RunningServer | null = null;
afterEach(async () => server?.close());

it('a run whose time for exploring was over is judged to the same report again', async () => {
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
  // The time is over in the middle of exploring, after a number of calls.
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + (calls > 10 ? 60_000 : 0) };
  const result = await runCheck(
    server.url,
    { ...PATIENT, seed: 7, only: ['inputs/*'], latency: { off: true } },
    { signal: new AbortController().signal, clock },
  );
  const explored = result.exchanges.filter(({ request }) => request.key.startsWith('inputs/')).length;
  expect(explored).toBeGreaterThan(2);
  expect(explored).toBeLessThan(15);
  expect(serialiseReport(await judgeReport(result))).toBe(serialiseReport(result));
});
