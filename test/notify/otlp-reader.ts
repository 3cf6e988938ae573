import { createRequire } from 'node:module';
import path from 'node:path';
import protobuf from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';

/** As `protobufjs` reads them: enums by name, 64-bit integers as texts. */
export interface ReadSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly ReadAttribute[];
  readonly events?: readonly {
    readonly timeUnixNano: string;
    readonly name: string;
    readonly attributes: readonly ReadAttribute[];
  }[];
  readonly status: { readonly code?: string; readonly message?: string };
}

export interface ReadMetric {
  readonly name: string;
  readonly unit: string;
  readonly data: string;
  readonly gauge: {
    readonly dataPoints: readonly {
      readonly timeUnixNano: string;
      readonly value: 'asInt' | 'asDouble';
      readonly asInt?: string;
      readonly asDouble?: number;
      readonly attributes: readonly ReadAttribute[];
    }[];
  };
}

export interface ReadAttribute {
  readonly key: string;
  readonly value: { readonly value: string; readonly stringValue?: string; readonly intValue?: string };
}

interface OfResource {
  readonly resource: { readonly attributes: readonly ReadAttribute[] };
}

interface Scope {
  readonly scope: { readonly name: string; readonly version: string };
}

export interface ReadTraces {
  readonly resourceSpans: readonly (OfResource & {
    readonly scopeSpans: readonly (Scope & { readonly spans: readonly ReadSpan[] })[];
  })[];
}

export interface ReadMetrics {
  readonly resourceMetrics: readonly (OfResource & {
    readonly scopeMetrics: readonly (Scope & { readonly metrics: readonly ReadMetric[] })[];
  })[];
}

// The official .proto files, as this package publishes them.
const folder = path.dirname(createRequire(import.meta.url).resolve('@elastic/mockotlpserver/package.json'));
const root = new protobuf.Root();
root.resolvePath = (_, target) => path.resolve(folder, target);
root.loadSync([
  'opentelemetry/proto/collector/trace/v1/trace_service.proto',
  'opentelemetry/proto/collector/metrics/v1/metrics_service.proto',
]);

/** Throws if it is not exactly what the protocol describes. */
export function readTraces(json: string): ReadTraces {
  return readAs('trace.v1.ExportTraceServiceRequest', json) as ReadTraces;
}

/** Throws if it is not exactly what the protocol describes. */
export function readMetrics(json: string): ReadMetrics {
  return readAs('metrics.v1.ExportMetricsServiceRequest', json) as ReadMetrics;
}

/** From JSON to the binary format and back, with a member for the name of each alternative that is set. */
function readAs(name: string, json: string): object {
  const type = root.lookupType(`opentelemetry.proto.collector.${name}`);
  const message = protojson.fromJson(type, JSON.parse(json, withBase64Ids));
  const problem = type.verify(message);
  if (problem !== null) throw new Error(problem);
  const read = type.toObject(type.decode(type.encode(message).finish()), {
    enums: String,
    longs: String,
    bytes: String,
    oneofs: true,
  });
  return JSON.parse(JSON.stringify(read), withHexadecimalIds) as object;
}

const ID = /^(?:trace|span|parentSpan)Id$/;

/** The one place in which OTLP departs from the JSON of Protocol Buffers: its ids are hexadecimal. */
function withBase64Ids(key: string, value: unknown): unknown {
  if (!ID.test(key)) return value;
  if (typeof value !== 'string' || !/^(?!0+$)(?:[0-9a-f]{16}|[0-9a-f]{32})$/.test(value))
    throw new Error(`${key} is not a hexadecimal id`);
  return Buffer.from(value, 'hex').toString('base64');
}

function withHexadecimalIds(key: string, value: unknown): unknown {
  return ID.test(key) && typeof value === 'string' ? Buffer.from(value, 'base64').toString('hex') : value;
}
