import { say } from '../../command-line/terminal.ts';
import type { TestResult } from '../../model/report.ts';
import { type TelemetrySettings, telemetryIn } from '../../notify/telemetry-settings.ts';
import { newTrace, type TraceContext, traceparentOf } from '../../notify/trace-context.ts';

/** What a run exports as OpenTelemetry data, if anything. */
export interface Telemetry {
  readonly settings: TelemetrySettings;
  readonly context: TraceContext;
}

export function telemetryOf(environment: NodeJS.ProcessEnv): Telemetry {
  const settings = telemetryIn(environment);
  for (const problem of settings.problems) say(`warning: ${problem}. Nothing is sent there.`);
  return { settings, context: newTrace(environment.TRACEPARENT) };
}

/**
 * The headers of every request, with `traceparent` only if the spans are exported that it names: otherwise a server gets
 * what it would get without telemetry. A header of the user takes precedence.
 */
export function withTrace(
  { settings, context }: Telemetry,
  headers: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'traceparent');
  return settings.tracesUrl === null || isGiven
    ? headers
    : { ...headers, traceparent: traceparentOf(context) };
}

/** A collector that cannot be reached does not change the outcome of the check. */
export async function exportTelemetry({ settings, context }: Telemetry, result: TestResult): Promise<void> {
  const { tracesUrl, metricsUrl, headers, resource, timeoutMs } = settings;
  if (tracesUrl === null && metricsUrl === null) return;
  const { metricsPayload, tracesPayload } = await import('../../notify/otlp-payload.ts');
  const { postJson } = await import('../../notify/post-json.ts');
  const post = async (what: string, url: string | null, payload: () => object): Promise<void> => {
    if (url === null) return;
    const problem = await postJson(url, payload(), headers, timeoutMs);
    if (problem !== null)
      say(
        `warning: the ${what} were not exported: ${problem}. Check the collector and the OTEL_EXPORTER_OTLP_* variables.`,
      );
  };
  await Promise.all([
    post('spans', tracesUrl, () => tracesPayload(result, resource, context)),
    post('metrics', metricsUrl, () => metricsPayload(result, resource)),
  ]);
}
