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

export interface Span {
  readonly context: TraceContext;
  /** From the caller, for those who are called. */
  readonly traceState: string | null;
  readonly beganAtMs: number;
}

/** A handler that may send requests in the trace of its work. */
export type Traced<Handle extends (...given: never[]) => unknown> = (
  ...given: [...Parameters<Handle>, span: Span | null]
) => ReturnType<Handle>;

/** What an ended span is about. */
type Work = Omit<Parameters<typeof workSpan>[1], 'startedAtMs' | 'endedAtMs'>;

const EXPORT_EVERY_MS = 5000;
const MAX_BATCH = 512;
const MAX_WAITING = 4096;
/** A collector that does not answer must not delay the end of the service. */
const MAX_CLOSE_MS = 2000;
const MIN_CLOSE_MS = 250;

/** The spans of one process are sampled together. */
const FOLLOWS = { ratio: 0, followsParent: true } as const;
const NO_EXPORT = { traces: null, sampler: FOLLOWS, resource: {} } as const;

/** Begins spans, and exports the sampled ones in batches. Nobody waits for an export. */
export class Tracer {
  readonly #telemetry: Pick<TelemetrySettings, 'traces' | 'sampler' | 'resource'>;
  readonly #note: (outcome: 'exported' | 'dropped', count: number) => void;
  readonly #waiting: object[] = [];
  readonly #ending = new AbortController();
  readonly #timer: NodeJS.Timeout | null;
  #running: Promise<void> | null = null;

  constructor(
    telemetry: TelemetrySettings | null,
    /** Counts exported spans, and those that were dropped. */
    note: (outcome: 'exported' | 'dropped', count: number) => void,
  ) {
    this.#telemetry = telemetry ?? NO_EXPORT;
    this.#note = note;
    this.#timer =
      this.#telemetry.traces === null ? null : setInterval(() => void this.#run(), EXPORT_EVERY_MS).unref();
  }

  /** The span of a request or a job. Null: nobody asked for a trace, and none is exported. */
  begin(traceparent: string | undefined, tracestate?: string): Span | null {
    const parent = parentIn(traceparent);
    if (parent === null && this.#telemetry.traces === null) return null;
    return {
      context: newSpan(parent, this.#telemetry.sampler),
      traceState: parent === null ? null : validTraceState(tracestate),
      beganAtMs: Date.now(),
    };
  }

  /** A request to a target, below the span of the work that sends it. Without a span, no headers are sent. */
  beginRequest(parent: Span | null): Span | null {
    if (parent === null) return null;
    const { context, traceState } = parent;
    return { context: newSpan(context, FOLLOWS), traceState, beganAtMs: Date.now() };
  }

  end(span: Span | null, work: Work): void {
    if (this.#isExported(span))
      this.#add(workSpan(span.context, { ...work, startedAtMs: span.beganAtMs, endedAtMs: Date.now() }));
  }

  endRequest(span: Span | null, exchange: Exchange): void {
    if (this.#isExported(span) && isSent(exchange)) this.#add(exchangeSpan(exchange, span.context));
  }

  /** Exports what is left, within this time. */
  async close(withinMs: number): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    const closeMs = Math.min(MAX_CLOSE_MS, Math.max(MIN_CLOSE_MS, withinMs));
    // An export that is still under way would keep the process alive.
    const late = setTimeout(() => this.#ending.abort(), closeMs);
    await this.#running;
    await this.#run();
    clearTimeout(late);
  }

  #isExported(span: Span | null): span is Span {
    return this.#telemetry.traces !== null && span?.context.isSampled === true;
  }

  #add(span: object): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#note('dropped', 1);
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= MAX_BATCH) void this.#run();
  }

  #run(): Promise<void> {
    this.#running ??= this.#export().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #export(): Promise<void> {
    const { traces, resource } = this.#telemetry;
    if (traces === null) return;
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.splice(0, MAX_BATCH);
      const userAgent = `probity/${harnessVersion()} (directory)`;
      const payload = spansPayload(spans, resource, harnessVersion());
      const exported = await exportOtlp(traces, payload, userAgent, this.#ending.signal);
      const dropped =
        exported.kind === 'accepted' ? 0 : exported.kind === 'refused' ? spans.length : exported.rejected;
      this.#note('exported', spans.length - dropped);
      this.#note('dropped', dropped);
    }
  }
}

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
