import { expect, it, onTestFinished } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { jsonAnswer, referenceWith, type ServedTarget, serve } from '../conforming/serve.ts';
import { PATIENT } from '../patience.ts';
import { checkHere } from './check-here.ts';

const UNTIMED: CheckOptions = { ...PATIENT, seed: 7, latency: { off: true } };
const check = (url: string, options: CheckOptions) =>
  checkHere(url, { ...UNTIMED, ...options }, { signal: new AbortController().signal });

function isMalformed(body: Uint8Array): boolean {
  const text = Buffer.from(body).toString();
  try {
    if (text !== '') JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

const ROWS = ['robustness/malformed-json', 'robustness/survives', 'inputs/valid-answered'];

it('a server that invalid requests broke is to blame, and not its functions', async () => {
  let isBroken = false;
  const { url, close } = await serve(
    referenceWith('B', (answer, { body }) => {
      isBroken ||= isMalformed(body);
      return isBroken ? jsonAnswer(500, { error: 'broken' }) : answer;
    }),
  );
  onTestFinished(close);
  const { results, findings } = await check(url, { only: ROWS });
  expect(results.find(({ id }) => id === 'robustness/survives')?.outcome).toBe('failed');
  expect(results.find(({ id }) => id === 'inputs/valid-answered')).toMatchObject({
    outcome: 'undecided',
    blockedBy: 'robustness/survives',
  });
  expect(findings.filter(({ subject }) => subject !== null)).toEqual([]);
});

it('a server that an invalid request ended gets the fix of the requirement, and not that of a wrong address', async () => {
  let served: ServedTarget | null = null;
  served = await serve(
    referenceWith('B', async (answer, { body }) => {
      if (isMalformed(body)) await served?.close();
      return answer;
    }),
  );
  const { findings } = await check(served.url, { only: ROWS });
  const [survives] = findings.filter(({ id }) => id === 'robustness/survives');
  expect(survives).toMatchObject({ outcome: 'failed', received: 'none: connection-refused' });
  expect(survives?.fix).toMatch(/^Send these requests one at a time and read how the process ended/);
  expect(findings.filter(({ fix }) => fix.includes('Start the server'))).toEqual([]);
});
