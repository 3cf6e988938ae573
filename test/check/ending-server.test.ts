import { describe, expect, it } from 'vitest';
import type { CheckHooks } from '../../src/check/check.ts';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { Span } from '../../src/model/span.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { SUBJECT } from '../mcp/subject-options.ts';
import { PATIENT } from '../patience.ts';
import { checkHere } from './check-here.ts';

/** Checks a server whose process never ends, whatever is done about it. */
function checkedEndless(options: CheckOptions, hooks: CheckHooks) {
  const command = [process.execPath, SUBJECT, JSON.stringify({ only: ['add'] })] as const;
  const asked = { ...PATIENT, latency: { off: true }, mcp: { command }, ...options };
  return checkHere('node subject.js', asked, {
    ...hooks,
    probeOf: (usual) => {
      const close = usual.close.bind(usual);
      return Object.assign(usual, {
        close: (onLogs: Parameters<typeof close>[0]) => {
          void close(onLogs);
          return new Promise(() => undefined);
        },
      });
    },
  });
}

describe.concurrent('a server whose process does not end', () => {
  it('is judged before the deadline is over', async () => {
    const { signal } = new AbortController();
    const waitsMs: number[] = [];
    const sleep = (durationMs: number, until: AbortSignal): Promise<void> => {
      waitsMs.push(durationMs);
      return systemClock.sleep(Math.min(durationMs, 100), until);
    };
    const spans: Span[] = [];
    const { summary, conversations } = await checkedEndless(
      {},
      { signal, clock: { ...systemClock, sleep }, onSpan: (span) => spans.push(span) },
    );
    expect(summary.passed).toBeGreaterThan(0);
    expect(conversations?.map(({ name }) => name)).toContain('main');
    expect(spans.flatMap(({ kind, name }) => (kind === 'server' ? [name] : []))).toEqual(['end']);
    // The longest wait is the one for the process.
    expect(Math.max(...waitsMs)).toBeLessThan(PATIENT.deadlineMs);
    expect(Math.max(...waitsMs)).toBeGreaterThan(PATIENT.deadlineMs / 2);
  });

  it('is judged after an interruption', async () => {
    const interruption = new AbortController();
    const onExchange = (): void => interruption.abort();
    const { summary } = await checkedEndless({}, { signal: interruption.signal, onExchange });
    expect(summary.passed).toBeGreaterThan(0);
  });
});
