import type { ConfiguredSample, PlannedCall } from '../model/call.ts';
import type { AnsweredExchange, Exchange } from '../model/exchange.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { type Finding, passed } from '../model/judgement.ts';
import type { PercentileMs } from '../model/load.ts';
import type { Measurement } from '../model/report.ts';
import type { Form } from '../model/requirement.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import type { Assertion } from '../model/suite.ts';

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

/** What every check is given, whatever it sees. */
export interface CommonContext {
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

/** The check has nothing to judge, for one of the reasons that it declares. */
export interface CannotJudge<Reason extends string> {
  readonly outcome: 'cannot-judge';
  readonly reason: Reason;
}

export function cannotJudge<Reason extends string>(reason: Reason): CannotJudge<Reason> {
  return { outcome: 'cannot-judge', reason };
}

export type CheckFinding<Reason extends string = string> = Finding | CannotJudge<Reason>;
export type CheckResult<Reason extends string = string> =
  | CheckFinding<Reason>
  | readonly CheckFinding<Reason>[];

/** Judges several things alike: what is found of any of them, or passed. */
export function judgeEach<Item, Found extends CheckFinding>(
  items: readonly Item[],
  judge: (item: Item) => Found,
): typeof passed | readonly Found[] {
  const findings = items.map(judge).filter(({ outcome }) => outcome !== 'passed');
  return findings.length > 0 ? findings : passed;
}

export interface CheckOption {
  readonly doc: string;
  readonly required: boolean;
  /** The option is a JSON Schema. */
  readonly schema?: boolean;
}

export interface CheckMetadata<Reason extends string = string> {
  readonly name: string;
  /** What the check decides, for `probity explain --checks`. */
  readonly decides: string;
  readonly options: Readonly<Record<string, CheckOption>>;
  /** Why it may be unable to judge, in words. A suite names the requirement that is to blame, under `blockedBy`. */
  readonly reasons: Readonly<Record<Reason, string>>;
  /** What the other assertions on the exchange can rely on where this check passes, and are blocked by where it does not. */
  readonly establishes: 'answer' | 'json-object' | null;
  /** Whether it only judges answers that may come or not: where its step does not run, nothing was missed. */
  readonly isIncidental: (options: JsonObject) => boolean;
}

interface Contexts {
  readonly exchange: ExchangeContext;
  readonly answer: AnswerContext;
  readonly json: JsonContext;
  readonly repetitions: RepetitionsContext;
  readonly step: StepContext;
  readonly measurements: MeasurementsContext;
}

/**
 * What a check is given to see. `exchange`: each exchange, answered or not. `answer`: each answer. `json`: each answer
 * whose status was as expected and whose body is JSON. `repetitions`: all JSON answers to one repeated request.
 * `step`: everything that the step received. `measurements`: the response times of the calls that the step timed.
 */
export type CheckThatSees<
  Sees extends keyof Contexts,
  Reason extends string = string,
> = CheckMetadata<Reason> & {
  readonly sees: Sees;
  readonly judge: (context: Contexts[Sees]) => CheckResult<Reason>;
};

export type Check = { readonly [Sees in keyof Contexts]: CheckThatSees<Sees> }[keyof Contexts];

const SEE_ONE: ReadonlySet<string> = new Set(['exchange', 'answer', 'json'] satisfies Check['sees'][]);

/** Whether it is judged on several answers together: others of its step cannot need it, and it is open for no one item. */
export function isOfSeveral(assertion: Assertion, checks: ReadonlyMap<string, Check>): boolean {
  if (assertion.kind !== 'check') return assertion.kind === 'budget';
  const sees = checks.get(assertion.check)?.sees;
  return sees !== undefined && !SEE_ONE.has(sees);
}

export function defineCheck<Sees extends Check['sees'], Reason extends string = never>(
  sees: Sees,
  name: string,
  decides: string,
  judge: (context: Contexts[Sees]) => CheckResult<NoInfer<Reason>>,
  declared: Partial<Omit<CheckMetadata<Reason>, 'name' | 'decides'>> = {},
): CheckThatSees<Sees, Reason> {
  const reasons = {} as Readonly<Record<Reason, string>>;
  const ordinary = { options: {}, reasons, establishes: null, isIncidental: () => false };
  return { name, sees, decides, judge, ...ordinary, ...declared };
}
