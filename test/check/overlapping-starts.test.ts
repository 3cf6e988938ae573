import { expect, it } from 'vitest';
import { collect } from '../../src/check/check.ts';
import { checkInputOf } from '../../src/check/check-input.ts';
import { prepareRun } from '../../src/check/prepare-run.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { SUBJECT } from '../mcp/subject-options.ts';
import { PATIENT } from '../patience.ts';

it('starts of a server that overlap let its requests end later only by the time that they took together', async () => {
  const { signal } = new AbortController();
  const command = [process.execPath, SUBJECT, JSON.stringify({ only: ['add'] })] as const;
  const options = { ...PATIENT, latency: { off: true }, mcp: { command } };
  const prepared = await prepareRun(checkInputOf('node subject.js', options), signal);
  const beganAtMs: number[] = [];
  let mostAtOnce = 0;
  let togetherMs = 0;
  const endsAtMs = systemClock.monotonicMs() + PATIENT.deadlineMs;
  const collected = await collect({
    ...prepared,
    clock: systemClock,
    signal,
    endsAtMs,
    onOpening: (state) => {
      if (state === 'begins') beganAtMs.push(systemClock.monotonicMs());
      mostAtOnce = Math.max(mostAtOnce, beganAtMs.length);
      const firstMs = state === 'over' ? beganAtMs.shift() : undefined;
      // The others began later.
      if (firstMs !== undefined) {
        const nowMs = systemClock.monotonicMs();
        togetherMs += nowMs - firstMs;
        beganAtMs.fill(nowMs);
      }
    },
  });
  await collected.closed;
  expect(mostAtOnce).toBeGreaterThan(1);
  expect(collected.endsAtMs).toBeGreaterThan(endsAtMs);
  expect(collected.endsAtMs - endsAtMs).toBeLessThanOrEqual(togetherMs + 0.01);
});
