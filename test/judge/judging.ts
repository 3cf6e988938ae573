import { settingsOf } from '../../src/check/run-settings.ts';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { judgeRun } from '../../src/judge/judge-run.ts';
import type { JudgeRunInput } from '../../src/judge/step-context.ts';
import { estimatePercentiles } from '../../src/latency/percentiles.ts';
import type { PlannedCall } from '../../src/model/call.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import type { Finding, Judgement } from '../../src/model/judgement.ts';
import type { RunSettings } from '../../src/model/report.ts';
import type { SchemaEvaluator } from '../../src/model/schema-evaluator.ts';
import type { Step, Suite } from '../../src/model/suite.ts';
import type { Forms, InstanceRun, RunRecord, StepRun, Timed } from '../../src/run/state/record.ts';
import { type AnswerParts, answer, type MeasurementParts, measurement } from '../checks/example.ts';
import { loadText, suiteOf } from '../suite/loading.ts';

export const TARGET = 'http://target.example';
const SETTINGS: RunSettings = settingsOf({ seed: 1 });
const ownSchemas = createSchemaEvaluator();

interface InstanceParts {
  readonly exchanges: readonly Exchange[];
  readonly call?: PlannedCall;
  readonly functionName?: string;
  readonly caseId?: string;
  readonly timed?: Timed;
}

export const ran = (step: Step, ...instances: readonly InstanceParts[]): StepRun => ({
  kind: 'ran',
  step,
  instances: instances.map(
    (
      { exchanges, call: planned = null, functionName = null, caseId = null, timed = null },
      index,
    ): InstanceRun => {
      const key = `${step.id}[${index}]`;
      return { key, item: undefined, functionName, caseId, call: planned, exchanges, timed };
    },
  ),
});

export interface RecordParts {
  readonly form?: Forms['capabilities'];
  readonly executeForm?: Forms['execute'];
  readonly settings?: Partial<RunSettings>;
  readonly schemas?: SchemaEvaluator;
  readonly saved?: RunRecord['saved'];
  readonly opened?: RunRecord['opened'];
}

/** A record, with the other inputs of the judgement. */
export function inputOf(
  steps: readonly StepRun[],
  {
    form = { form: 'A' },
    executeForm,
    settings,
    schemas = ownSchemas,
    saved = new Map(),
    opened = null,
  }: RecordParts = {},
): JudgeRunInput {
  const exchanges = steps.flatMap((run) =>
    run.kind === 'ran' ? run.instances.flatMap((one) => one.exchanges) : [],
  );
  const record: RunRecord = {
    steps,
    forms: { capabilities: form, execute: executeForm ?? form },
    saved,
    exchanges,
    conversations: [],
    opened,
    omissions: [],
    restrained: [],
    learned: [],
    created: [],
    hasBailed: false,
  };
  return { record, settings: { ...SETTINGS, ...settings }, targetUrl: TARGET, schemas };
}

export function judge(steps: readonly StepRun[], parts: RecordParts = {}): readonly Judgement[] {
  return judgeRun(inputOf(steps, parts));
}

export function findings(steps: readonly StepRun[], parts: RecordParts = {}): readonly Finding[] {
  return judge(steps, parts).map(({ finding }) => finding);
}

/** Requirement without its suite, outcome, and the blocking requirement: `body: blocked by ok`. */
export function outcomes(steps: readonly StepRun[], parts: RecordParts = {}): readonly string[] {
  return judge(steps, parts).map(({ requirement, finding }) => {
    const by = finding.outcome === 'blocked' ? ` by ${finding.blockedBy.replace('mine/', '')}` : '';
    return `${requirement.replace('mine/', '')}: ${finding.outcome}${by}`;
  });
}

/** The measurement of calls with these durations. */
export function timedAs(durationsMs: readonly number[], parts: MeasurementParts = {}): Timed {
  const sorted = durationsMs.toSorted((left, right) => left - right);
  const estimates = estimatePercentiles(sorted);
  const {
    p50Ms: _p50,
    p90Ms: _p90,
    p95Ms: _p95,
    maxMs: _max,
    ...rest
  } = measurement({
    count: sorted.length,
    ...parts,
  });
  const figures = {
    ...Object.fromEntries(estimates.map(({ percentile, value }) => [`${percentile}Ms`, value])),
    ...(sorted.length === 0 ? {} : { maxMs: sorted.at(-1) as number }),
    intervals: Object.fromEntries(estimates.map(({ percentile, interval }) => [percentile, interval])),
    samples: sorted.length,
  };
  return { kind: 'measured', measurement: { ...rest, ...figures } };
}

export const stepOf = (text: string): Step => {
  const [step] = loadText(suiteOf(text)).steps;
  if (step === undefined) throw new Error('no step');
  return step;
};
export const stepsOf = (text: string): Suite['steps'] => loadText(suiteOf(text)).steps;

export const at = (parts: AnswerParts & { readonly path?: string } = {}): Exchange => {
  const exchange = answer({ headers: [['etag', '1']], ...parts });
  return { ...exchange, request: { ...exchange.request, url: TARGET + (parts.path ?? '/health') } };
};
