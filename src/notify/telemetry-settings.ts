/** Where OpenTelemetry data is sent, from the standard variables; null where nothing is sent. */
export interface TelemetrySettings {
  readonly tracesUrl: string | null;
  readonly metricsUrl: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of the resource, `service.name` among them. */
  readonly resource: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** What is wrong with the variables, without their values. */
  readonly problems: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 10_000;

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/: an empty variable counts as unset. Pure. */
export function telemetryIn(environment: Environment): TelemetrySettings {
  const problems: string[] = [];
  const disabled = environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true';
  const urlOf = (signal: 'TRACES' | 'METRICS'): string | null => {
    if (disabled || environment[`OTEL_${signal}_EXPORTER`]?.trim() === 'none') return null;
    const own = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
    const [name, value] = environment[own]
      ? [own, environment[own]]
      : ['OTEL_EXPORTER_OTLP_ENDPOINT', environment.OTEL_EXPORTER_OTLP_ENDPOINT ?? ''];
    if (value === '') return null;
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) {
      problems.push(`${name} is not an address that begins with http:// or https://`);
      return null;
    }
    if (name !== own) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal.toLowerCase()}`;
    return url.href;
  };
  const [tracesUrl, metricsUrl] = [urlOf('TRACES'), urlOf('METRICS')];
  const attributes = pairsIn(environment.OTEL_RESOURCE_ATTRIBUTES);
  const timeout = Number(environment.OTEL_EXPORTER_OTLP_TIMEOUT);
  return {
    tracesUrl,
    metricsUrl,
    headers: pairsIn(environment.OTEL_EXPORTER_OTLP_HEADERS),
    resource: {
      'service.name': 'probity',
      ...attributes,
      ...(environment.OTEL_SERVICE_NAME ? { 'service.name': environment.OTEL_SERVICE_NAME } : {}),
    },
    timeoutMs: timeout > 0 && timeout <= 600_000 ? timeout : TIMEOUT_MS,
    problems: [...new Set(problems)],
  };
}

/** `a=1,b=2`, with values in percent encoding, as in the header Baggage. */
function pairsIn(list = ''): Readonly<Record<string, string>> {
  const pairs = list.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    return at < 1 || name === '' ? [] : [[name, decoded(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
