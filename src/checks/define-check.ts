import type { Json, JsonObject } from '../json/json.ts';
import type { ConfiguredSample, PlannedCall } from '../model/call.ts';
import type { Answer, AnsweredExchange, Exchange } from '../model/exchange.ts';
import {
  type Finding,
  failed,
  inapplicable,
  passed,
  type Shortcoming,
  undecided,
} from '../model/judgement.ts';
import type { PercentileMs } from '../model/load.ts';
import type { Measurement } from '../model/measurement.ts';
import type { Demands } from '../model/report.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import type { Assertion } from '../model/suite.ts';
import type { Conversation, Opened, Wire } from '../model/wire.ts';

export interface JsonAnswer {
  readonly exchange: Answer;
  readonly value: Json;
  /** The call that it answers, if any. */
  readonly call: PlannedCall | null;
}

/** One exchange of the step, with its call, if any. */
export interface Asked {
  readonly exchange: Exchange;
  readonly call: PlannedCall | null;
  /** The item of the loop, if the step loops. */
  readonly item: Json | undefined;
  /** The case of the step, if it has several. */
  readonly caseId?: string | null;
  /** For a refused call whose input succeeded before: whether a plain call with the same input then succeeded. */
  readonly servedPlainly?: boolean | null;
}

/** What was measured for one item of the step. */
export interface Measured {
  readonly measurement: Measurement;
  /** After timed calls failed, the function also refused each plain call with the same input. */
  readonly refusedAfterwards?: boolean;
  /** The exchange before the measurement, which showed that the request is answered. */
  readonly exchange: Exchange;
}

/** What every check receives. */
export interface CommonContext {
  readonly options: JsonObject;
  readonly form: Wire | null;
  /** Of a server of the Model Context Protocol: what both sides agreed on. */
  readonly opened: Opened | null;
  /** The user chose the form: everything is checked against it. */
  readonly formForced: boolean;
  readonly schemas: SchemaEvaluator;
  /** The JSON answers of the steps named under `use`, by name. */
  readonly used: Readonly<Record<string, readonly JsonAnswer[]>>;
  readonly samplesFor: (functionName: string) => readonly ConfiguredSample[];
  readonly targetUrl: string;
  /** Names of the headers that the user gave; their values are not stored. */
  readonly givenHeaders: readonly string[];
  /** The response time that the directory shows for the target; null when unknown. */
  readonly claimedResponseTimeMs: number | null;
  readonly demands: Demands;
  /** What to do about a rate limiter of the target. */
  readonly rateLimitAdvice: string;
}

/**
 * What a check judges. `exchange`: each exchange, answered or not. `answer`: each answer over HTTP. `json`: each answer
 * that was as expected and is JSON. `repetitions`: all JSON answers to one repeated request. `step`:
 * everything that the step received. `measurements`: the response times of the calls that the step timed.
 */
interface Judged {
  readonly exchange: Asked;
  readonly answer: Asked & { readonly exchange: AnsweredExchange };
  readonly json: Asked & { readonly exchange: Answer; readonly value: Json };
  readonly repetitions: { readonly answers: readonly JsonAnswer[] };
  readonly step: {
    readonly asked: readonly Asked[];
    /** Everything that the run sent, also what belongs to no step, such as the last call of a slow function. */
    readonly exchanges: readonly Exchange[];
    /** What the processes and sessions of the run showed outside of exchanges. */
    readonly conversations: readonly Conversation[];
  };
  readonly measurements: {
    /** At least one. */
    readonly measured: readonly Measured[];
    /** Of all timed calls together; null where there are too few. */
    readonly median: PercentileMs | null;
  };
}

type Context<Sees extends keyof Judged> = CommonContext & Judged[Sees];

/** The check has nothing to judge, for one of the reasons that it declares. */
export interface CannotJudge<Reason extends string> {
  readonly outcome: 'cannot-judge';
  readonly reason: Reason;
}

export function cannotJudge<Reason extends string>(reason: Reason): CannotJudge<Reason> {
  return { outcome: 'cannot-judge', reason };
}

/** The finding for a schema that the harness cannot apply. */
export function notApplied(message: string, reason: string, pointer?: string): Shortcoming {
  return undecided({
    message: `${message}: ${reason}`,
    expected: 'a schema that can be applied',
    received: reason,
    pointer,
  });
}

export type CheckFinding<Reason extends string = string> = Finding | CannotJudge<Reason>;
export type CheckResult<Reason extends string = string> =
  | CheckFinding<Reason>
  | readonly CheckFinding<Reason>[];

/** Judges each item: all findings, or passed if there are none. */
export function judgeEach<Item, Found extends CheckFinding>(
  items: readonly Item[],
  judge: (item: Item) => Found,
): typeof passed | readonly Found[] {
  const findings = items.map(judge).filter(({ outcome }) => outcome !== 'passed');
  return findings.length > 0 ? findings : passed;
}

/** One finding is enough for all items: that of the first that is wrong. */
export function judgeFirst<Item>(
  items: readonly Item[],
  whenNone: string,
  isWrong: (item: Item) => boolean,
  evidenceOf: (wrong: Item) => Parameters<typeof failed>[0],
): Finding {
  if (items.length === 0) return inapplicable(whenNone);
  const wrong = items.find(isWrong);
  return wrong === undefined ? passed : failed(evidenceOf(wrong));
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
  /** Why the check may be unable to judge. A suite names the blocking requirement under `blockedBy`. */
  readonly reasons: Readonly<Record<Reason, string>>;
  /** What other assertions on the exchange need: they are blocked when this check does not pass. */
  readonly establishes: 'answer' | 'json-object' | null;
  /** Whether the check judges optional answers only: if its step does not run, nothing is missed. */
  readonly isIncidental: (options: JsonObject) => boolean;
  /** Of a check that sees a step: what one answer breaks stays broken, whatever other answers come. */
  readonly breaksAlone: boolean;
  /**
   * Of a check that sees repetitions and passes on these: whether their content, however far apart they are, shows that
   * a later one would change nothing. How many requests a check sends must not depend on the speed of the machine.
   */
  readonly isSettledBy: (answers: readonly JsonAnswer[]) => boolean;
  /** Whether the check decides something in this run; if not, nothing is planned for it. */
  readonly isDemanded: (options: JsonObject, demands: Demands) => boolean;
  /**
   * What it means for a failure that a secret was replaced in the answer: it may be the reason; nothing, because only
   * the kind of the answer counts; or the secret is what the check looks for.
   */
  readonly replacedSecret: 'may-be-why' | 'irrelevant' | 'looked-for';
}

export type CheckThatSees<
  Sees extends keyof Judged,
  Reason extends string = string,
> = CheckMetadata<Reason> & {
  readonly sees: Sees;
  readonly judge: (context: Context<Sees>) => CheckResult<Reason>;
};

export type Check = { readonly [Sees in keyof Judged]: CheckThatSees<Sees> }[keyof Judged];

const SEE_ONE: ReadonlySet<string> = new Set(['exchange', 'answer', 'json'] satisfies Check['sees'][]);

/**
 * Whether the assertion judges several answers together: others of its step cannot need it, and it has no single item.
 */
export function isOfSeveral(assertion: Assertion, checks: ReadonlyMap<string, Check>): boolean {
  if (assertion.kind !== 'check') return assertion.kind === 'budget';
  const sees = checks.get(assertion.check)?.sees;
  return sees !== undefined && !SEE_ONE.has(sees);
}

export function defineCheck<Sees extends Check['sees'], Reason extends string = never>(
  sees: Sees,
  name: string,
  decides: string,
  judge: (context: Context<Sees>) => CheckResult<NoInfer<Reason>>,
  declared: Partial<Omit<CheckMetadata<Reason>, 'name' | 'decides'>> = {},
): CheckThatSees<Sees, Reason> {
  return {
    name,
    sees,
    decides,
    judge,
    reasons: {} as Readonly<Record<Reason, string>>,
    options: {},
    establishes: null,
    isIncidental: () => false,
    breaksAlone: false,
    isSettledBy: () => true,
    isDemanded: () => true,
    replacedSecret: 'may-be-why',
    ...declared,
  };
}
