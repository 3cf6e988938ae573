import type { Span } from '../model/span.ts';

/** One process with one thread: what Perfetto and chrome://tracing need to draw all spans below each other. */
const PLACE = { pid: 1, tid: 1 };

/**
 * Spans as a trace of JSON events, which Perfetto (ui.perfetto.dev) and chrome://tracing open. Phases are complete
 * events (X); waits overlap, so they are asynchronous events (b and e), each with a number. Pure.
 */
export function chromeTrace(spans: readonly Span[], startedAtMs: number): string {
  const micros = (atMs: number): number => Math.round((atMs - startedAtMs) * 1000);
  const traceEvents = spans.flatMap((span, id): readonly object[] => {
    const { kind: cat, name, durationMs } = span;
    const ts = micros(span.startedAtMs);
    const end = micros(span.startedAtMs + durationMs);
    if (cat === 'phase') return [{ ph: 'X', cat, name, ts, dur: end - ts, ...PLACE }];
    return [
      { ph: 'b', cat, name, id, ts, ...PLACE },
      { ph: 'e', cat, name, id, ts: end, ...PLACE },
    ];
  });
  const names = [{ ph: 'M', name: 'process_name', ...PLACE, args: { name: 'probity check' } }];
  return `${JSON.stringify({ displayTimeUnit: 'ms', traceEvents: [...names, ...traceEvents] })}\n`;
}
