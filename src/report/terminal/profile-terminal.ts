import { type Span, WAIT_KINDS, type WaitKind } from '../../model/span.ts';

/** Shorter phases share the last line. */
const MAX_PHASES = 9;

export interface ProfiledTime {
  readonly spans: readonly Span[];
  /** Of the process, as Unix time. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Of all threads of the process. */
  readonly cpuMs: number;
}

const HEADINGS: Readonly<Record<WaitKind, string>> = {
  'timed-calls': 'timed calls',
  answer: 'answers',
  server: 'server',
  'timing-lock': 'lock',
  'rate-limit': 'rate limit',
  pause: 'pause',
};

/**
 * Where the time of a check went: a line for each of the longest phases, with what it waited for. The rest is the work of
 * Probity. Of waits that overlap, the first kind of `WAIT_KINDS` counts. Pure.
 */
export function renderProfile({ spans, startedAtMs, endedAtMs, cpuMs }: ProfiledTime): string {
  const phases = spans.filter(({ kind }) => kind === 'phase');
  const longest = phases.toSorted((one, other) => other.durationMs - one.durationMs).slice(0, MAX_PHASES);
  const shown = phases.filter((phase) => longest.includes(phase)).toSorted(byStart);
  const rows = shown.map((phase): Row => ({ name: phase.name, ...timeIn(phase, spans) }));
  const tookMs = endedAtMs - startedAtMs;
  const all = [...rows, restOf({ startedAtMs, durationMs: tookMs }, rows, spans)];
  const kinds = WAIT_KINDS.filter((kind) => all.some(({ waitedMs }) => rounded(waitedMs.get(kind)) !== '0'));
  const lines = [
    ['', 'ms', ...kinds.map((kind) => HEADINGS[kind]), 'own work'],
    ...all.map(({ name, waitedMs, workMs, ...row }) => [
      name,
      rounded(row.tookMs),
      ...kinds.map((kind) => rounded(waitedMs.get(kind))),
      rounded(workMs),
    ]),
  ];
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const aligned = lines.map((line) =>
    line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  );
  const head = `Where ${rounded(tookMs)} ms went; all threads of Probity together used ${rounded(cpuMs)} ms of processor time:`;
  return [head, ...aligned.map((line) => `  ${line.join('  ')}`)].join('\n');
}

interface Row {
  readonly name: string;
  readonly tookMs: number;
  readonly waitedMs: ReadonlyMap<WaitKind, number>;
  readonly workMs: number;
}

/** The time in no row, by what it waited for. */
function restOf(whole: Time, rows: readonly Row[], spans: readonly Span[]): Row {
  const all = timeIn(whole, spans);
  const left = (of: (row: Omit<Row, 'name'>) => number): number =>
    of(all) - rows.reduce((sum, row) => sum + of(row), 0);
  return {
    name: 'everything else',
    tookMs: left(({ tookMs }) => tookMs),
    waitedMs: new Map(WAIT_KINDS.map((kind) => [kind, left(({ waitedMs }) => waitedMs.get(kind) ?? 0)])),
    workMs: left(({ workMs }) => workMs),
  };
}

type Time = Pick<Span, 'startedAtMs' | 'durationMs'>;

/** A time by what it waited for. Waits may have begun before it, and end after it. */
function timeIn(phase: Time, spans: readonly Span[]): Omit<Row, 'name'> {
  const waitedMs = new Map<WaitKind, number>();
  const counted: Span[] = [];
  let coveredMs = 0;
  for (const kind of WAIT_KINDS) {
    counted.push(...spans.filter((span) => span.kind === kind));
    const nowMs = coveredIn(phase, counted);
    waitedMs.set(kind, nowMs - coveredMs);
    coveredMs = nowMs;
  }
  return { tookMs: phase.durationMs, waitedMs, workMs: phase.durationMs - coveredMs };
}

/** How much of a phase the waits cover together. */
function coveredIn(phase: Time, waits: readonly Span[]): number {
  let coveredMs = 0;
  let untilMs = phase.startedAtMs;
  for (const wait of waits.toSorted(byStart)) {
    const fromMs = Math.max(untilMs, wait.startedAtMs);
    const toMs = Math.min(endOf(phase), endOf(wait));
    coveredMs += Math.max(0, toMs - fromMs);
    untilMs = Math.max(untilMs, toMs);
  }
  return coveredMs;
}

function endOf({ startedAtMs, durationMs }: Time): number {
  return startedAtMs + durationMs;
}

function byStart(one: Span, other: Span): number {
  return one.startedAtMs - other.startedAtMs;
}

function rounded(ms = 0): string {
  return Math.max(0, ms).toFixed(0);
}
