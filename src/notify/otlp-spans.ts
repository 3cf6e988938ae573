import { shorten } from '../json/json.ts';
import { visible } from '../json/visible.ts';
import type { Exchange, SentRequest } from '../model/exchange.ts';
import { isHttpRequest, messageMethod, NEVER_SENT } from '../model/sent.ts';
import type { TraceContext } from './trace-context.ts';

/*
 * The JSON of OTLP (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids are hexadecimal, 64-bit
 * integers are texts.
 */

export type Resource = Readonly<Record<string, string>>;
export type Attributes = Readonly<Record<string, string | number>>;

const KINDS = { internal: 1, server: 2, client: 3 } as const;
export const ERROR_STATUS = 2;
const MAX_CHARACTERS = 1000;
/** Of a span: its trace is sampled, and it is known whether its parent is remote; and for a remote parent. */
const SAMPLED = 0x101;
const OF_REMOTE_PARENT = 0x200;

/** Ended work of a service. */
export interface EndedWork {
  readonly name: string;
  readonly kind: 'server' | 'internal';
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Attributes;
  /** Null: it succeeded. */
  readonly errorType: string | null;
}

/** The span of a request to a service, or of a job; its parent, if it has one, is elsewhere. Pure. */
export function workSpan(context: TraceContext, work: EndedWork): object {
  const { name, kind, startedAtMs, endedAtMs, attributes: given, errorType } = work;
  return {
    ...idsOf(context, { isParentRemote: true }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoOf(startedAtMs),
    endTimeUnixNano: nanoOf(endedAtMs),
    attributes: attributes({ ...given, ...(errorType === null ? {} : { 'error.type': errorType }) }),
    status: errorType === null ? {} : { code: ERROR_STATUS },
  };
}

export function idsOf(
  { traceId, spanId, parentSpanId }: Omit<TraceContext, 'isSampled'>,
  { isParentRemote }: { readonly isParentRemote: boolean },
): object {
  const ids = { traceId, spanId };
  if (parentSpanId === null) return { ...ids, flags: SAMPLED };
  return { ...ids, parentSpanId, flags: SAMPLED + (isParentRemote ? OF_REMOTE_PARENT : 0) };
}

export function isSent(exchange: Exchange): boolean {
  return exchange.kind !== 'unanswered' || !NEVER_SENT.has(exchange.reason.code);
}

/** The span of a request, below one of this process. Pure. */
export function exchangeSpan(exchange: Exchange, ids: Omit<TraceContext, 'isSampled'>): object {
  const { request, timing } = exchange;
  const status = exchange.kind === 'answered' ? exchange.response.status : null;
  const failure = failureOf(exchange);
  // Many steps provoke a refusal (4xx); a server error is never what they want.
  const errorType = failure?.code ?? (status !== null && status >= 500 ? String(status) : null);
  const mcpMethod = messageMethod(request);
  const { name, attributes: ofChannel } = isHttpRequest(request) ? httpSpan(request) : PIPE_SPAN;
  return {
    ...idsOf(ids, { isParentRemote: false }),
    name: mcpMethod ?? name,
    kind: KINDS.client,
    startTimeUnixNano: nanoOf(timing.startedAtMs),
    endTimeUnixNano: nanoOf(timing.startedAtMs + timing.durationMs),
    attributes: attributes({
      ...(mcpMethod === null ? {} : { 'mcp.method.name': mcpMethod }),
      ...ofChannel,
      ...(status === null ? {} : { 'http.response.status_code': status }),
      ...(errorType === null ? {} : { 'error.type': errorType }),
      'probity.exchange': request.key,
    }),
    status:
      errorType === null
        ? {}
        : { code: ERROR_STATUS, ...(failure === null ? {} : { message: said(failure.message) }) },
  };
}

/** Why there is no complete answer; null if there is one, or none was expected. */
function failureOf(exchange: Exchange): { readonly code: string; readonly message: string } | null {
  if (exchange.kind === 'unanswered') return exchange.reason;
  if (exchange.kind === 'answered') return exchange.response.bodyProblem ?? null;
  const { end, request } = exchange;
  if (end === 'answered' || (end === 'silent' && request.message.awaited === null)) return null;
  return { code: end, message: `no answer: ${end}` };
}

interface SpanOfChannel {
  readonly name: string;
  readonly attributes: Attributes;
}

function httpSpan(request: SentRequest): SpanOfChannel {
  const url = URL.canParse(request.url) ? new URL(request.url) : null;
  const method = METHODS.has(request.method) ? request.method : null;
  return {
    name: method ?? 'HTTP',
    attributes: {
      'http.request.method': method ?? '_OTHER',
      ...(method === null ? { 'http.request.method_original': request.method } : {}),
      'url.full': request.url,
      ...(url === null
        ? {}
        : {
            'server.address': url.hostname.replace(/^\[|\]$/g, ''),
            'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
          }),
    },
  };
}

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ */
const PIPE_SPAN: SpanOfChannel = { name: 'MCP', attributes: { 'network.transport': 'pipe' } };

/** Other methods would make too many different names: https://opentelemetry.io/docs/specs/semconv/http/http-spans/. */
const METHODS: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

/** A request with the spans of one process. Pure. */
export function spansPayload(spans: readonly object[], resource: Resource, version: string): object {
  return {
    resourceSpans: [
      { resource: resourceOf(resource, version), scopeSpans: [{ scope: scopeOf(version), spans }] },
    ],
  };
}

export function resourceOf(resource: Resource, version: string): object {
  const sdk = {
    'telemetry.sdk.name': 'probity',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
  };
  return { attributes: attributes({ ...resource, ...sdk }) };
}

export function scopeOf(version: string): object {
  return { name: 'probity', version };
}

export function attributes(values: Attributes): readonly object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: said(value) },
  }));
}

/** Texts of a target are shown in other tools, too. */
function said(text: string): string {
  return shorten(visible(text), MAX_CHARACTERS);
}

/** To microseconds: more is lost in a Unix time in milliseconds. */
export function nanoOf(unixMs: number): string {
  return String(BigInt(Math.round(unixMs * 1000)) * 1000n);
}
