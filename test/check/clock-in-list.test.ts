import { expect, it, onTestFinished } from 'vitest';
import { referenceWithJson, serve } from '../conforming/serve.ts';
import { PATIENT } from '../patience.ts';
import { checkHere } from './check-here.ts';

it('a check without timing also finds a clock of small numbers in the list of functions', async () => {
  const startedAtMs = performance.now();
  const { url, close } = await serve(
    referenceWithJson('B', (value, { path }) => {
      if (path !== '/capabilities') return value;
      const up = Math.floor((performance.now() - startedAtMs) / 1000);
      return { ...value, functions: (value.functions as object[]).map((one) => ({ ...one, stats: { up } })) };
    }),
  );
  onTestFinished(close);
  const options = { ...PATIENT, latency: { off: true }, only: ['capabilities/stable'] };
  const { results } = await checkHere(url, options, { signal: new AbortController().signal });
  expect(results).toMatchObject([{ id: 'capabilities/stable', outcome: 'failed' }]);
});
