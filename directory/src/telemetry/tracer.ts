import type { Exchange } from 'probity/model';
import {
  exchangeSpan,
  exportOtlp,
  harnessVersion,
  isSent,
  newSpan,
  parentIn,
  spansPayload,
  type TelemetrySettings,
  type TraceContext,
  traceparentOf,
  workSpan,
} from 'probity/service';

/** A span that has begun. */
export interface Span {
  readonly context: TraceContext;
  /** From the caller, for those who are called. */
  readonly traceState: string | null;
  readonly beganAtMs: number;
}

type Attributes = Readonly<Record<string, string | number>>;

/** What an ended span is about. */
export interface Work {
  readonly name: string;
  readonly kind: 'server' | 'internal';
  readonly attributes: Attributes;
  /** Null: it succeeded. */
  readonly errorType: string | null;
}

/** Begins spans, and exports the sampled ones in batches. Nobody waits for an export. */
export interface Tracer {
  /** The span of a request or a job. Null: nobody asked for a trace, and none is exported. */
  begin(traceparent: string | undefined, tracestate?: string): Span | null;
  /** A request to a target, below the span of the work that sends it. Without a span, no headers are sent. */
  beginRequest(parent: Span | null): Span | null;
  end(span: Span | null, work: Work): void;
  endRequest(span: Span | null, exchange: Exchange): void;
  /** Exports what is left, within this time. */
  close(withinMs: number): Promise<void>;
}

const EXPORT_EVERY_MS = 5000;
const MAX_BATCH = 512;
const MAX_WAITING = 4096;
/** A collector that does not answer must not delay the end of the service. */
const MAX_CLOSE_MS = 2000;
const MIN_CLOSE_MS = 250;

export function createTracer(
  telemetry: TelemetrySettings | null,
  /** Counts exported spans, and those that were dropped. */
  note: (outcome: 'exported' | 'dropped', count: number) => void,
): Tracer {
  const { traces, sampler, resource } = telemetry ?? NO_EXPORT;
  const waiting: object[] = [];
  const ending = new AbortController();
  let running: Promise<void> | null = null;

  const exportBatches = async (): Promise<void> => {
    if (traces === null) return;
    while (waiting.length > 0) {
      const spans = waiting.splice(0, MAX_BATCH);
      const userAgent = `probity/${harnessVersion()} (directory)`;
      const payload = spansPayload(spans, resource, harnessVersion());
      const exported = await exportOtlp(traces, payload, userAgent, ending.signal);
      const dropped =
        exported.kind === 'accepted' ? 0 : exported.kind === 'refused' ? spans.length : exported.rejected;
      note('exported', spans.length - dropped);
      note('dropped', dropped);
    }
  };
  const run = (): Promise<void> => {
    running ??= exportBatches().finally(() => {
      running = null;
    });
    return running;
  };
  const timer = traces === null ? null : setInterval(() => void run(), EXPORT_EVERY_MS).unref();
  const add = (span: object): void => {
    if (waiting.length >= MAX_WAITING) {
      note('dropped', 1);
      return;
    }
    waiting.push(span);
    if (waiting.length >= MAX_BATCH) void run();
  };
  const isExported = (span: Span | null): span is Span => traces !== null && span?.context.isSampled === true;

  return {
    begin: (traceparent, tracestate) => {
      const parent = parentIn(traceparent);
      if (parent === null && traces === null) return null;
      return {
        context: newSpan(parent, sampler),
        traceState: parent === null ? null : validTraceState(tracestate),
        beganAtMs: Date.now(),
      };
    },
    beginRequest: (parent) =>
      parent === null
        ? null
        : { context: newSpan(parent.context, FOLLOWS), traceState: parent.traceState, beganAtMs: Date.now() },
    end: (span, work) => {
      if (isExported(span))
        add(workSpan(span.context, { ...work, startedAtMs: span.beganAtMs, endedAtMs: Date.now() }));
    },
    endRequest: (span, exchange) => {
      if (isExported(span) && isSent(exchange)) add(exchangeSpan(exchange, span.context));
    },
    close: async (withinMs) => {
      if (timer !== null) clearInterval(timer);
      const closeMs = Math.min(MAX_CLOSE_MS, Math.max(MIN_CLOSE_MS, withinMs));
      // An export that is still under way would keep the process alive.
      const late = setTimeout(() => ending.abort(), closeMs);
      await running;
      await run();
      clearTimeout(late);
    },
  };
}

/** The spans of one process are sampled together. */
const FOLLOWS = { ratio: 0, followsParent: true } as const;
const NO_EXPORT = { traces: null, sampler: FOLLOWS, resource: {} } as const;

/** The headers of W3C Trace Context for a request to a target. */
export function traceHeaders(span: Span | null): readonly (readonly [name: string, value: string])[] {
  if (span === null) return [];
  const traceparent = ['traceparent', traceparentOf(span.context)] as const;
  return span.traceState === null ? [traceparent] : [traceparent, ['tracestate', span.traceState]];
}

const MAX_TRACE_STATE = 512;
const MAX_MEMBERS = 32;
const MEMBER = /^[a-z0-9][a-z0-9_\-*/]{0,255}(?:@[a-z][a-z0-9_\-*/]{0,13})?=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/** Null if it is absent, invalid or longer than every participant must pass on. */
function validTraceState(given: string | undefined): string | null {
  const members = (given ?? '')
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  const text = members.join(',');
  if (members.length === 0 || members.length > MAX_MEMBERS || text.length > MAX_TRACE_STATE) return null;
  return members.every((member) => MEMBER.test(member)) ? text : null;
}
