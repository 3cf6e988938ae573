import { say } from '../../command-line/terminal.ts';
import type { TestResult } from '../../model/report.ts';
import { type SignalSettings, type TelemetrySettings, telemetryIn } from '../../notify/telemetry-settings.ts';
import { newTrace, type TraceContext, traceparentOf } from '../../notify/trace-context.ts';

export interface Telemetry {
  readonly settings: TelemetrySettings;
  readonly context: TraceContext;
}

export function telemetryOf(environment: NodeJS.ProcessEnv): Telemetry {
  const settings = telemetryIn(environment);
  for (const problem of settings.problems) say(`warning: ${problem}`);
  const context = newTrace(environment.TRACEPARENT, settings.sampler);
  return { settings: context.isSampled ? settings : { ...settings, traces: null }, context };
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
  return settings.traces === null || isGiven ? headers : { ...headers, traceparent: traceparentOf(context) };
}

/** A collector that cannot be reached does not change the outcome of the check. */
export async function exportTelemetry({ settings, context }: Telemetry, result: TestResult): Promise<void> {
  const { traces, metrics, resource } = settings;
  if (traces === null && metrics === null) return;
  const { metricsPayload, tracesPayload } = await import('../../notify/otlp-payload.ts');
  const { exportOtlp } = await import('../../notify/otlp-export.ts');
  const userAgent = `probity/${result.harness.version}`;
  const send = async (what: string, signal: SignalSettings | null, payload: () => object): Promise<void> => {
    if (signal === null) return;
    const exported = await exportOtlp(signal, payload(), userAgent);
    if (exported.kind === 'refused')
      say(
        `warning: the ${what} were not exported: ${exported.reason}. Check the collector and the OTEL_EXPORTER_OTLP_* variables.`,
      );
    if (exported.kind === 'partly-accepted') {
      const { rejected, message } = exported;
      const outcome = rejected === 0 ? 'accepted all' : `rejected ${rejected}`;
      say(
        `warning: the collector ${outcome} of the ${what}${message === '' ? '' : `, and says: ${message}`}`,
      );
    }
  };
  await Promise.all([
    send('spans', traces, () => tracesPayload(result, resource, context)),
    send('metrics', metrics, () => metricsPayload(result, resource)),
  ]);
}
