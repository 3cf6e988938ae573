import { expect, test } from 'vitest';
import type { Span } from '../../src/model/span.ts';
import { chromeTrace } from '../../src/report/chrome-trace.ts';
import { renderProfile } from '../../src/report/terminal/profile-terminal.ts';

const span = (kind: Span['kind'], name: string, fromMs: number, toMs: number): Span => ({
  kind,
  name,
  startedAtMs: 1000 + fromMs,
  durationMs: toMs - fromMs,
});

const SPANS: readonly Span[] = [
  span('phase', 'first calls', 0, 100),
  span('answer', 'execute/call#0', 10, 40),
  span('answer', 'execute/call#1', 20, 60),
  span('phase', 'judging', 200, 250),
  // Begins in one phase, and ends in another one.
  span('pause', '1050 ms', 50, 160),
  span('phase', 'repeated reads', 100, 200),
];

test('waits that overlap count once, as the first kind, and only for the phase in which they are', () => {
  const time = { spans: SPANS, startedAtMs: 1000, endedAtMs: 1300, cpuMs: 90.4 };
  expect(renderProfile(time)).toBe(
    [
      'Where 300 ms went; all threads of Probity together used 90 ms of processor time:',
      '                    ms  answers  pause  own work',
      '  first calls      100       50     40        10',
      '  repeated reads   100        0     60        40',
      '  judging           50        0      0        50',
      '  everything else   50        0      0        50',
    ].join('\n'),
  );
});

test('only the longest phases have a line, in their order', () => {
  const phases = Array.from({ length: 12 }, (_, index) =>
    span('phase', `phase ${index}`, index * 100, index * 100 + (index < 3 ? 1 : 50)),
  );
  const lines = renderProfile({ spans: phases, startedAtMs: 1000, endedAtMs: 2200, cpuMs: 0 }).split('\n');
  expect(lines).toHaveLength(12);
  expect(lines[2]).toMatch(/^ {2}phase 3 /);
  expect(lines.at(-1)).toMatch(/^ {2}everything else +750/);
});

test('waits in no line, and between phases, are no work of Probity', () => {
  const phases = Array.from({ length: 10 }, (_, index) =>
    span('phase', `phase ${index}`, index * 100, index * 100 + (index === 0 ? 30 : 50)),
  );
  const waits = [span('server', 'start', 0, 20), span('answer', 'execute/call#0', 940, 980)];
  const time = { spans: [...phases, ...waits], startedAtMs: 1000, endedAtMs: 2000, cpuMs: 0 };
  const lines = renderProfile(time).split('\n');
  expect(lines[1]).toMatch(/^ +ms +answers +server +own work$/);
  expect(lines.at(-2)).toMatch(/^ {2}phase 9 +50 +10 +0 +40$/);
  expect(lines.at(-1)).toMatch(/^ {2}everything else +550 +30 +20 +500$/);
});

test('a trace has phases as complete events, and each wait as a pair, in microseconds', () => {
  const { traceEvents } = JSON.parse(chromeTrace(SPANS.slice(0, 2), 1000)) as { traceEvents: unknown };
  const place = { pid: 1, tid: 1 };
  expect(traceEvents).toEqual([
    { ph: 'M', name: 'process_name', ...place, args: { name: 'probity check' } },
    { ph: 'X', cat: 'phase', name: 'first calls', ts: 0, dur: 100_000, ...place },
    { ph: 'b', cat: 'answer', name: 'execute/call#0', id: 1, ts: 10_000, ...place },
    { ph: 'e', cat: 'answer', name: 'execute/call#0', id: 1, ts: 40_000, ...place },
  ]);
});
