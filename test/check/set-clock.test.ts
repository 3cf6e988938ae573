import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/probe/system-clock.ts';
import { referenceWithJson, serve } from '../conforming/serve.ts';
import { PATIENT } from '../patience.ts';
import { checkHere } from './check-here.ts';

const AT_START_SECONDS = 1000;

/** A server that counts its uptime by either clock, on a machine whose time of day is set after a read of /health. */
async function checkWhileSet(countsBy: 'monotonic' | 'time of day', setSeconds: number, afterReads: number) {
  let reads = 0;
  const nowMs = (): number => Date.now() + (reads >= afterReads ? setSeconds * 1000 : 0);
  const clockMs = countsBy === 'monotonic' ? () => performance.now() : nowMs;
  const startMs = clockMs();
  const { url, close } = await serve(
    referenceWithJson('B', (value, { path }) => {
      if (path !== '/health') return value;
      const uptime = AT_START_SECONDS + (clockMs() - startMs) / 1000;
      const timestamp = new Date(nowMs()).toISOString();
      reads += 1;
      return { ...value, uptime, timestamp };
    }),
  );
  const options = { ...PATIENT, latency: { off: true }, only: ['health/*', 'robustness/survives'] };
  const { signal } = new AbortController();
  const checking = checkHere(url, options, { signal, clock: { ...systemClock, nowMs } });
  const { results } = await checking.finally(close);
  return results.filter(({ outcome }) => outcome !== 'passed').map(({ id, outcome }) => `${id} ${outcome}`);
}

const SET_SECONDS = [-5, -0.4, 90];
const READS = [1, 2];

describe.concurrent('a clock that is set during a check', () => {
  it.for(SET_SECONDS.flatMap((seconds) => READS.map((reads) => [seconds, reads] as const)))(
    'by %s s after read %s of /health blames no server that counts its uptime by another clock',
    async ([seconds, reads]) => {
      const unmet = await checkWhileSet('monotonic', seconds, reads);
      expect(unmet.filter((one) => one !== 'health/uptime-seconds undecided')).toEqual([]);
    },
  );

  it.for(SET_SECONDS.flatMap((seconds) => READS.map((reads) => [seconds, reads] as const)))(
    'by %s s after read %s of /health blames no server that has the same clock',
    async ([seconds, reads]) => {
      const unmet = await checkWhileSet('time of day', seconds, reads);
      const known = ['health/uptime-seconds undecided', 'health/uptime-seconds inapplicable'];
      if (seconds < 0) known.push('health/uptime-monotonic undecided', 'robustness/survives undecided');
      expect(unmet.filter((one) => !known.includes(one))).toEqual([]);
    },
  );
});
