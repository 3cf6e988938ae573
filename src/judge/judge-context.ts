import type { RunSettings } from '../model/report.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';

/** What is known before the first request. */
export interface JudgeBasis {
  readonly settings: RunSettings;
  readonly targetUrl: string;
  readonly schemas: SchemaEvaluator;
}

/** The part of a judge's context that no answer changes. */
export function settledContext({ settings, targetUrl, schemas }: JudgeBasis) {
  return {
    schemas,
    targetUrl,
    formForced: settings.form !== 'auto',
    samplesFor: (name: string) =>
      Object.hasOwn(settings.samples, name) ? (settings.samples[name] ?? []) : [],
    keyGiven: settings.headerNames.length > 0,
    givenHeaders: settings.headerNames,
    latency: settings.latency,
    claimedResponseTimeMs: settings.claimedResponseTimeMs,
  };
}
