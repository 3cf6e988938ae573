import type { ConfiguredSample, PlannedCall } from '../model/call.ts';
import type { AnsweredExchange, Exchange } from '../model/exchange.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Finding } from '../model/judgement.ts';
import type { PercentileMs } from '../model/load.ts';
import type { Measurement } from '../model/report.ts';
import type { Form } from '../model/requirement.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';

/** An answer whose body is JSON. */
export interface JsonAnswer {
  readonly exchange: AnsweredExchange;
  readonly value: Json;
  /** The call that it answers, if it was one. */
  readonly call: PlannedCall | null;
}

/** One exchange of the step with the call that it was, if it was one. */
export interface Asked {
  readonly exchange: Exchange;
  readonly call: PlannedCall | null;
  /** The item of the loop, if the step loops. */
  readonly item: Json | undefined;
  /** Of a call that was refused although its input was served before: whether a plain call with it was served then. */
  readonly servedPlainly?: boolean | null;
}

/** What was measured for one item of the step. */
export interface Measured {
  readonly measurement: Measurement;
  /** After timed calls that failed, the function refused each plain call with the same input. */
  readonly refusedAfterwards?: boolean;
  /** The exchange that showed, before it was measured, that the request is answered. */
  readonly exchange: Exchange;
}

interface CommonContext {
  readonly options: JsonObject;
  readonly form: Form | null;
  /** The user said which form it is: everything is held to it. */
  readonly formForced: boolean;
  readonly schemas: SchemaEvaluator;
  /** Answers of the steps named under `use`, those that are JSON, by name. */
  readonly used: Readonly<Record<string, readonly JsonAnswer[]>>;
  readonly samplesFor: (functionName: string) => readonly ConfiguredSample[];
  readonly targetUrl: string;
  /** Names of the headers that the user gave; their values are kept nowhere. */
  readonly givenHeaders: readonly string[];
  /** What the directory shows as the target's response time; null where it is not known. */
  readonly claimedResponseTimeMs: number | null;
}

export type ExchangeContext = CommonContext & Asked;
export type AnswerContext = CommonContext & Asked & { readonly exchange: AnsweredExchange };
export type JsonContext = AnswerContext & { readonly value: Json };
export type RepetitionsContext = CommonContext & { readonly answers: readonly JsonAnswer[] };
export type StepContext = CommonContext & { readonly asked: readonly Asked[] };
export type MeasurementsContext = CommonContext & {
  /** One at least. */
  readonly measured: readonly Measured[];
  /** Of all timed calls together; null where there are too few. */
  readonly median: PercentileMs | null;
};

export type CheckResult = Finding | readonly Finding[];

export interface CheckOption {
  readonly doc: string;
  readonly required: boolean;
  /** The option is a JSON Schema. */
  readonly schema?: boolean;
}

export interface CheckMetadata {
  readonly name: string;
  /** What the check decides, for `probity explain --checks`. */
  readonly decides: string;
  readonly options: Readonly<Record<string, CheckOption>>;
}

/**
 * What a check is given to see. `exchange`: each exchange, answered or not. `answer`: each answer. `json`: each answer
 * whose status was as expected and whose body is JSON. `repetitions`: all JSON answers to one repeated request.
 * `step`: everything that the step received. `measurements`: the response times of the calls that the step timed.
 */
export type Check = CheckMetadata &
  (
    | { readonly sees: 'exchange'; readonly judge: (context: ExchangeContext) => CheckResult }
    | { readonly sees: 'answer'; readonly judge: (context: AnswerContext) => CheckResult }
    | { readonly sees: 'json'; readonly judge: (context: JsonContext) => CheckResult }
    | { readonly sees: 'repetitions'; readonly judge: (context: RepetitionsContext) => CheckResult }
    | { readonly sees: 'step'; readonly judge: (context: StepContext) => CheckResult }
    | { readonly sees: 'measurements'; readonly judge: (context: MeasurementsContext) => CheckResult }
  );

/** Such a check can be needed by others of its step, and be open for one item of a loop. */
export function seesOneAnswer(sees: string): boolean {
  return sees === 'exchange' || sees === 'answer' || sees === 'json';
}

export type CheckThatSees<Sees extends Check['sees']> = Extract<Check, { sees: Sees }>;

export function defineCheck<Sees extends Check['sees']>(
  sees: Sees,
  name: string,
  decides: string,
  judge: CheckThatSees<Sees>['judge'],
  options: CheckMetadata['options'] = {},
): CheckThatSees<Sees> {
  return { sees, name, decides, judge, options } as CheckThatSees<Sees>;
}
