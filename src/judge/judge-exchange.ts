import type { Asked, CheckResult, JsonAnswer } from '../checks/define-check.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { describeExpectation, judgeNodes } from '../checks/json/nodes.ts';
import { saysNothingOfServer, TRANSPORT_ADVICE } from '../checks/transport-advice.ts';
import { checks } from '../generated/checks.ts';
import type { ConfiguredSample } from '../model/call.ts';
import {
  type AnsweredExchange,
  headerValue,
  reachedNobody,
  type TransportFailure,
} from '../model/exchange.ts';
import { isJsonObject } from '../model/json.ts';
import { blocked, type Finding, failed, inapplicable, inconclusive, passed } from '../model/judgement.ts';
import type { LatencySettings, Measurement } from '../model/report.ts';
import type { Form } from '../model/requirement.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import { select } from '../model/selector.ts';
import type { Assertion, AssertionOf, Step } from '../model/suite.ts';
import type { ExchangeJudge } from '../run/exchange-judge.ts';
import type { KnownForm } from '../run/record.ts';
import { judgeStatus, judgeTurnedAway, type StatusContext } from './judge-status.ts';
import { decided, notJudged, unknownCheck } from './not-judged.ts';

/** What judging one answer rests on besides it. */
interface ExchangeContext extends StatusContext {
  readonly schemas: SchemaEvaluator;
  /** Form of the operation that the step asks. */
  readonly form: KnownForm;
  readonly formForced: boolean;
  readonly used: Readonly<Record<string, readonly JsonAnswer[]>>;
  readonly samplesFor: (functionName: string) => readonly ConfiguredSample[];
  readonly targetUrl: string;
  readonly givenHeaders: readonly string[];
  readonly claimedResponseTimeMs: number | null;
  /** How a requirement fared in the steps that this one needs or uses. */
  readonly decidedBefore: (requirement: string) => Finding | undefined;
}

/** What judging all answers of a step rests on, once the run has ended. */
export interface JudgeContext extends ExchangeContext {
  readonly latency: LatencySettings;
  /** What /health takes, where it was measured. */
  readonly measuredHealth: Measurement | null;
  /** Names of the functions that the target lists, where they are known. */
  readonly listedFunctions: readonly string[];
}

export function createExchangeJudge(step: Step, asked: Asked, context: ExchangeContext): ExchangeJudge {
  const { exchange } = asked;
  const known = new Map<Assertion, readonly Finding[]>();
  const statusGate = step.expect.find((assertion) => assertion.kind === 'status');

  const gate = (): string | null => {
    if (exchange.kind === 'unanswered') return reporter()?.requirement ?? step.id;
    if (statusGate !== undefined && !holds(findings(statusGate))) return statusGate.requirement;
    return null;
  };
  const jsonRequirement = (): string | undefined => checkNamed('json-object')?.requirement;
  const bodyGate = (): string | null => {
    const stopped = gate();
    if (stopped !== null || exchange.kind === 'unanswered') return stopped;
    const { value } = jsonBody(exchange);
    const json = jsonRequirement();
    const usable = json === undefined ? value !== undefined : isJsonObject(value);
    return usable ? null : (json ?? step.id);
  };
  const checkNamed = (name: string): Assertion | undefined =>
    step.expect.find((assertion) => assertion.kind === 'check' && assertion.check === name);

  /** The assertion that says so when there is no answer. */
  const reporter = (): Assertion | undefined => checkNamed('answered') ?? step.expect[0];
  const isSaidAlready = (assertion: Assertion): boolean => {
    const first = reporter();
    return (
      exchange.kind === 'unanswered' &&
      first !== undefined &&
      first !== assertion &&
      first.requirement === assertion.requirement &&
      !holds(findings(first))
    );
  };

  const findings = (assertion: Assertion): readonly Finding[] => {
    const remembered = known.get(assertion);
    if (remembered !== undefined) return remembered;
    const made = isSaidAlready(assertion)
      ? []
      : atMost([prerequisites(assertion) ?? judge(assertion)].flat());
    known.set(assertion, made);
    return made;
  };

  const prerequisites = (assertion: Assertion): Finding | null => {
    const condition = conditionOf(assertion, context.form);
    if (condition !== null) return condition;
    if (assertion.needs === null) return null;
    return neededFinding(assertion.needs, step, (other) => findings(other), context);
  };

  const judge = (assertion: Assertion): CheckResult => {
    const check = assertion.kind === 'check' ? checks.get(assertion.check) : undefined;
    const isLost = reachedNobody(exchange) && saysNothingOfNobody(step);
    if (check?.sees === 'exchange' && !isLost)
      return decided(
        check.judge({ ...checkContext(assertion as AssertionOf<'check'>, context), ...asked }),
        check.name,
      );
    if (exchange.kind === 'unanswered') return unanswered(assertion, exchange.reason, gate(), isLost);
    if (assertion === statusGate) return judgeStatus(statusGate, exchange, asked, context);
    if (assertion.kind === 'time') return judgeTime(assertion, exchange);
    const stopped = gate();
    // Why the requirement is open has been said by the status.
    if (stopped === assertion.requirement) return [];
    if (stopped !== null) return blocked(stopped);
    if (assertion.kind === 'status') return judgeStatus(assertion, exchange, asked, context);
    // Where no status is asked for, nothing else has noticed yet.
    const turnedAway =
      statusGate === undefined ? judgeTurnedAway(exchange, 'an answer to the request itself', context) : null;
    if (turnedAway !== null) return turnedAway;
    if (assertion.kind === 'header') return judgeHeader(assertion, exchange, context.schemas);
    if (check?.sees === 'answer')
      return decided(
        check.judge({ ...checkContext(assertion as AssertionOf<'check'>, context), ...asked, exchange }),
        check.name,
      );
    const { value, problem } = jsonBody(exchange);
    const json = jsonRequirement();
    // Of a body that must be an object and is none, nothing more can be said.
    if (json !== undefined && !isJsonObject(value)) return blocked(json);
    if (value === undefined) {
      return (problem.serversFault ? failed : inconclusive)({
        message: problem.message,
        expected: 'JSON',
        received: problem.received,
      });
    }
    if (assertion.when.present !== null && select(assertion.when.present, value).length === 0) {
      return inapplicable(`the answer has no ${assertion.when.present}`);
    }
    if (check?.sees === 'json')
      return decided(
        check.judge({
          ...checkContext(assertion as AssertionOf<'check'>, context),
          ...asked,
          exchange,
          value,
        }),
        check.name,
      );
    if (assertion.kind === 'body')
      return judgeNodes(select(assertion.at, value), assertion.at, assertion.expectation, context.schemas);
    return notOfOneAnswer(assertion);
  };

  return { findings, gate, bodyGate };
}

/** Why an assertion does not apply to the form, or cannot be told to; null when it does apply. */
export function conditionOf({ when }: Pick<Assertion, 'when'>, known: KnownForm): Finding | null {
  if (when.form === null) return null;
  if (known.form === null) return blocked(known.because);
  return known.form === when.form
    ? null
    : inapplicable(`only for form ${when.form}; the target speaks form ${known.form}`);
}

/** Everything else was judged above: what is left sees several answers, or is a check that does not exist. */
function notOfOneAnswer(assertion: AssertionOf<'check' | 'budget'>): Finding {
  if (assertion.kind === 'check' && !checks.has(assertion.check)) return unknownCheck(assertion.check);
  return notJudged('it is judged on several answers together, not on one');
}

/** What becomes of an assertion through the one that it needs; null when that holds. */
export function neededFinding(
  needs: string,
  step: Step,
  findingsOf: (assertion: Assertion) => readonly Finding[],
  context: ExchangeContext,
): Finding | null {
  const own = step.expect
    .filter(({ requirement }) => requirement === needs)
    .flatMap((other) => findingsOf(other));
  const all =
    own.length > 0 ? own : [context.decidedBefore(needs)].filter((finding) => finding !== undefined);
  if (all.length === 0)
    return notJudged(
      `it needs ${needs}, which nothing decided`,
      `Include the step that decides ${needs} in the run.`,
    );
  const stopping = all.find(({ outcome }) => outcome !== 'passed');
  if (stopping === undefined) return null;
  if (stopping.outcome === 'inapplicable') return stopping;
  return stopping.outcome === 'blocked' ? stopping : blocked(needs);
}

const MAX_FINDINGS = 100;

/** Ten thousand findings of one kind say no more than a hundred, and cannot be written down. */
function atMost(findings: readonly Finding[]): readonly Finding[] {
  const rest = findings.length - MAX_FINDINGS;
  if (rest <= 0) return findings;
  return findings.slice(0, MAX_FINDINGS).map((finding, index) => {
    if (index < MAX_FINDINGS - 1 || !('message' in finding)) return finding;
    return { ...finding, message: `${finding.message}; and ${rest} more findings like it` };
  });
}

export function holds(findings: readonly Finding[]): boolean {
  return findings.every(({ outcome }) => outcome === 'passed' || outcome === 'inapplicable');
}

export function checkContext(assertion: AssertionOf<'check'>, context: ExchangeContext) {
  const { schemas, used, samplesFor, targetUrl, givenHeaders, claimedResponseTimeMs } = context;
  const form: Form | null = context.form.form;
  return {
    options: assertion.options,
    formForced: context.formForced,
    form,
    schemas,
    used,
    samplesFor,
    targetUrl,
    givenHeaders,
    claimedResponseTimeMs,
  };
}

/** Abuse that finds nobody there came too late to do harm; only a step that looks back asks just that. */
function saysNothingOfNobody({ abusive, finally: looksBack, use }: Step): boolean {
  return abusive && !looksBack && use.kind === 'none';
}

const GONE_ADVICE =
  'The server was gone before this request, or no longer lets this client in: look at the request before it.';

function unanswered(
  assertion: Assertion,
  reason: TransportFailure,
  gate: string | null,
  isLost: boolean,
): Finding {
  if (gate !== null && gate !== assertion.requirement) return blocked(gate);
  const advice = TRANSPORT_ADVICE[reason.code];
  const evidence = {
    message: reason.message,
    expected: 'an answer',
    received: `none: ${reason.code}`,
    fault: reason.fault,
    ...(advice === undefined ? {} : { advice }),
  };
  if (isLost) return inconclusive({ ...evidence, advice: GONE_ADVICE });
  return saysNothingOfServer(reason) ? inconclusive(evidence) : failed(evidence);
}

function judgeTime({ maxMs }: AssertionOf<'time'>, { timing }: AnsweredExchange): Finding {
  if (timing.durationMs <= maxMs) return passed;
  return failed({
    message: 'the answer took too long',
    expected: `at most ${maxMs} ms`,
    received: `${timing.durationMs.toFixed(1)} ms`,
  });
}

function judgeHeader(
  { name, expectation }: AssertionOf<'header'>,
  { response }: AnsweredExchange,
  schemas: SchemaEvaluator,
): CheckResult {
  const value = headerValue(response.headers, name);
  if (expectation.kind === 'absent') {
    return value === undefined
      ? passed
      : failed({
          message: `the header ${name} is there`,
          expected: 'no such header',
          received: JSON.stringify(value),
        });
  }
  if (value === undefined)
    return failed({
      message: `the header ${name} is missing`,
      expected: describeExpectation(expectation),
      received: 'no such header',
    });
  return judgeNodes([{ value, pointer: '' }], `the header ${name}`, expectation, schemas);
}
