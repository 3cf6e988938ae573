import { expect, test } from 'vitest';
import type { CallSource } from '../../src/latency/call-source.ts';
import { createClosedLoop } from '../../src/latency/closed-loop.ts';
import type { Connection, Connections } from '../../src/latency/connections.ts';
import { createOpenLoop, createSchedule } from '../../src/latency/open-loop.ts';

/** Blocks the client, like a loss of the CPU. */
function block(durationMs: number): number {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
  return performance.now();
}

function connectionsWith(send: Connections['send'], count: number): Connections {
  const connection = (): Connection => ({
    link: { open: async () => undefined, send: () => undefined, drop: () => undefined },
    index: 0,
    busy: false,
    countsFromMs: 0,
    sentMs: 0,
    leftMs: 0,
    measured: false,
    freeSinceMs: Number.NEGATIVE_INFINITY,
  });
  const all = Array.from({ length: count }, connection);
  return { all, open: async () => undefined, busyCount: () => 0, send, close: () => undefined };
}

const source: CallSource = {
  next: () => 'measured',
  taken: () => undefined,
  sent: () => undefined,
  waits: () => undefined,
  pick: () => 0,
  isStopped: () => false,
};

const oneCore = { spins: false, cores: 1 } as const;
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('in a closed loop, the latency excludes the client’s work between the last answer and the write', async () => {
  let readyMs = Infinity;
  const countsFromMs: number[] = [];
  const pick = (): number => {
    readyMs = block(2);
    return 0;
  };
  const connections = connectionsWith((_connection, _index, fromMs) => void countsFromMs.push(fromMs), 1);
  createClosedLoop(connections, { ...source, pick }, oneCore).start(performance.now());
  await nextTurn();
  expect(countsFromMs).toHaveLength(1);
  expect(countsFromMs[0]).toBeGreaterThanOrEqual(readyMs);
});

test('a closed loop reads all answers that have arrived before it writes the next requests', async () => {
  const sent: Connection[] = [];
  const connections = connectionsWith((connection) => void sent.push(connection), 3);
  const loop = createClosedLoop(connections, source, oneCore);
  for (const [count, connection] of connections.all.entries()) {
    loop.free(connection, performance.now(), false);
    expect(sent, `after ${count + 1} answers`).toEqual([]);
  }
  await nextTurn();
  expect(sent).toEqual(connections.all);
});

test('a closed loop that was stopped sends nothing more', async () => {
  const sent: Connection[] = [];
  const connections = connectionsWith((connection) => void sent.push(connection), 1);
  let stopped = false;
  const loop = createClosedLoop(connections, { ...source, isStopped: () => stopped }, oneCore);
  loop.start(performance.now());
  stopped = true;
  await nextTurn();
  expect(sent).toEqual([]);
});

test('for calls due at once, the latency excludes earlier writes, which count as the client’s lateness', async () => {
  const calls = 5;
  const wroteMs: number[] = [];
  const countsFromMs: number[] = [];
  const lateMs: number[] = [];
  const connections = connectionsWith((_connection, _index, fromMs) => {
    countsFromMs.push(fromMs);
    wroteMs.push(block(1));
  }, calls);
  const startMs = performance.now() - 1000;
  const next = (): 'measured' | 'over' => (countsFromMs.length < calls ? 'measured' : 'over');
  const schedule = createSchedule(1000, 'constant', startMs, Math.random);
  const loop = createOpenLoop(
    connections,
    { ...source, next },
    schedule,
    'timer',
    (late) => void lateMs.push(late),
  );
  loop.start(performance.now());
  await expect.poll(() => loop.isOver()).toBe(true);
  expect(countsFromMs).toHaveLength(calls);
  for (const [place, fromMs] of countsFromMs.slice(1).entries()) {
    expect(fromMs).toBeGreaterThanOrEqual(wroteMs[place] ?? Infinity);
  }
  // The excluded time is recorded as the client's lateness.
  for (const [place, late] of lateMs.entries())
    expect(startMs + place + late).toBeCloseTo(countsFromMs[place] ?? 0, 6);
});

test('an open loop tells for how long the client may have held up a call: its write, or the reading of its answer', async () => {
  const connections = connectionsWith((sending, _index, _fromMs, sentMs) => {
    sending.sentMs = sentMs;
    block(3);
  }, 1);
  const [connection] = connections.all;
  if (connection === undefined) throw new Error('there is no connection');
  let ended = false;
  const next = (): 'measured' | 'over' => (ended ? 'over' : 'measured');
  const schedule = createSchedule(1000, 'constant', performance.now(), Math.random);
  const loop = createOpenLoop(connections, { ...source, next }, schedule, 'spin', () => undefined);
  loop.start(performance.now());
  await nextTurn();
  await nextTurn();
  const readMs = block(5);
  expect(loop.heldUpMs(connection, readMs)).toBeGreaterThanOrEqual(8);
  ended = true;
});
