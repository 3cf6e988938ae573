import { type Sampler, samplerIn } from './trace-context.ts';

/** Where one kind of OpenTelemetry data is sent, and how. */
export interface SignalSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For all attempts together. */
  readonly timeoutMs: number;
  readonly compression: 'gzip' | 'none';
  /** They are read for each export, so that renewed ones count. */
  readonly tls: readonly TlsFile[];
}

/** A file in PEM, and the variable that names it. */
interface TlsFile {
  /** The authorities to trust instead of the default ones (`ca`), or who the client is. */
  readonly option: 'ca' | 'cert' | 'key';
  readonly variable: string;
  readonly path: string;
}

/** What the standard variables of OpenTelemetry say; null where nothing is sent. */
export interface TelemetrySettings {
  readonly traces: SignalSettings | null;
  readonly metrics: SignalSettings | null;
  readonly sampler: Sampler;
  /** Attributes of the resource, `service.name` among them. */
  readonly resource: Readonly<Record<string, string>>;
  /** What is wrong with the variables, and what follows, in sentences without their values, which may be secrets. */
  readonly problems: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable with its value; of one signal if that is set. */
interface Variable {
  readonly name: string;
  readonly value: string;
}

type Report = (problem: string) => void;

const TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 600_000;

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/: an empty variable counts as unset. Pure. */
export function telemetryIn(environment: Environment, serviceName = 'probity'): TelemetrySettings {
  const problems = new Set<string>();
  const report: Report = (problem) => void problems.add(problem);
  const isDisabled = environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true';
  const signal = (name: 'TRACES' | 'METRICS'): SignalSettings | null =>
    isDisabled ? null : signalIn(environment, name, report);
  const [traces, metrics] = [signal('TRACES'), signal('METRICS')];
  const isSent = traces !== null || metrics !== null;
  return {
    traces,
    metrics,
    sampler: samplerIn(environment, traces !== null ? report : () => {}),
    resource: resourceIn(environment, serviceName, isSent ? report : () => {}),
    problems: [...problems],
  };
}

function signalIn(
  environment: Environment,
  signal: 'TRACES' | 'METRICS',
  report: Report,
): SignalSettings | null {
  const exporters = environment[`OTEL_${signal}_EXPORTER`] || 'otlp';
  if (!exporters.split(',').some((exporter) => exporter.trim() === 'otlp')) return null;
  const variable = (what: string): Variable => {
    const own = `OTEL_EXPORTER_OTLP_${signal}_${what}`;
    const name = environment[own] ? own : `OTEL_EXPORTER_OTLP_${what}`;
    return { name, value: environment[name]?.trim() ?? '' };
  };
  const endpoint = variable('ENDPOINT');
  if (endpoint.value === '') return null;
  const protocol = variable('PROTOCOL');
  if (protocol.value === 'grpc') {
    report(`${protocol.name} is grpc, but Probity exports over HTTP only. Nothing is sent there.`);
    return null;
  }
  const url = URL.canParse(endpoint.value) ? new URL(endpoint.value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    report(`${endpoint.name} is not an address that begins with http:// or https://. Nothing is sent there.`);
    return null;
  }
  if (endpoint.name === 'OTEL_EXPORTER_OTLP_ENDPOINT')
    url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal.toLowerCase()}`;
  return {
    url: url.href,
    headers: headersIn(variable('HEADERS'), report),
    timeoutMs: timeoutIn(variable('TIMEOUT'), report),
    compression: compressionIn(variable('COMPRESSION'), report),
    tls: tlsIn(variable),
  };
}

const TLS_VARIABLES = [
  ['ca', 'CERTIFICATE'],
  ['cert', 'CLIENT_CERTIFICATE'],
  ['key', 'CLIENT_KEY'],
] as const;

function tlsIn(variable: (what: string) => Variable): readonly TlsFile[] {
  return TLS_VARIABLES.flatMap(([option, what]) => {
    const { name, value } = variable(what);
    return value === '' ? [] : [{ option, variable: name, path: value }];
  });
}

function timeoutIn({ name, value }: Variable, report: Report): number {
  if (value === '') return TIMEOUT_MS;
  const timeoutMs = Number(value);
  if (timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  report(`${name} is not a number of milliseconds up to ${MAX_TIMEOUT_MS}. The limit is ${TIMEOUT_MS} ms.`);
  return TIMEOUT_MS;
}

function compressionIn({ name, value }: Variable, report: Report): SignalSettings['compression'] {
  if (value === 'gzip') return 'gzip';
  if (value !== '' && value !== 'none')
    report(`${name} is neither gzip nor none. The export is not compressed.`);
  return 'none';
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/;

function headersIn({ name, value }: Variable, report: Report): Readonly<Record<string, string>> {
  const headers = pairsIn(value);
  if (headers?.every(([header, content]) => HEADER_NAME.test(header) && HEADER_VALUE.test(content)))
    return Object.fromEntries(headers);
  report(`${name} is not a list such as name=value,name=value in percent encoding. It is ignored.`);
  return {};
}

function resourceIn(
  environment: Environment,
  serviceName: string,
  report: Report,
): Readonly<Record<string, string>> {
  const attributes = pairsIn(environment.OTEL_RESOURCE_ATTRIBUTES ?? '');
  if (attributes === null)
    report(
      'OTEL_RESOURCE_ATTRIBUTES is not a list such as key=value,key=value in percent encoding. It is ignored.',
    );
  return {
    'service.name': serviceName,
    ...Object.fromEntries(attributes ?? []),
    ...(environment.OTEL_SERVICE_NAME ? { 'service.name': environment.OTEL_SERVICE_NAME } : {}),
  };
}

/** `a=1,b=2` in percent encoding, as in the header Baggage; null if any part of it is anything else. */
function pairsIn(list: string): readonly (readonly [key: string, value: string])[] | null {
  const members = list.split(',').map((member) => member.trim());
  try {
    return members.flatMap((member) => {
      if (member === '') return [];
      const at = member.indexOf('=');
      const key = decodeURIComponent(member.slice(0, Math.max(at, 0)).trim());
      if (key === '') throw new URIError('a pair without a key');
      return [[key, decodeURIComponent(member.slice(at + 1).trim())] as const];
    });
  } catch {
    return null;
  }
}
