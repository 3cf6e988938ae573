import { type Asked, type Check, isOfSeveral } from '../checks/define-check.ts';
import { exactNodes, jsonBody } from '../checks/json/json-body.ts';
import { judgeNodes } from '../checks/json/nodes.ts';
import { checks } from '../generated/checks.ts';
import { isJsonObject, ownProperty } from '../json/json.ts';
import { type Selection, select } from '../json/selector.ts';
import { type Exchange, hadNoConnection } from '../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../model/judgement.ts';
import type { Assertion, AssertionOf, Step } from '../model/suite.ts';
import type { JudgeExchange } from '../run/exchange-judge.ts';
import { type ExchangeJudge, MET, type Prerequisite } from '../run/exchange-judge.ts';
import type { KnownForm } from '../run/record.ts';
import { unmetCondition } from '../run/unmet-condition.ts';
import { judgeHeader, judgeNoAnswer, judgeTime } from './judge-answer.ts';
import { checkContext, type ExchangeContext, type JudgeBasis, settledContext } from './judge-context.ts';
import { judgeOutcome } from './judge-outcome.ts';
import { judgeStatus, judgeTurnedAway } from './judge-status.ts';
import { blocked, decided, notJudged, unknownCheck } from './not-judged.ts';
import { findingsOn, firstOpen, holds, unmetFinding } from './prerequisites.ts';

export function createExchangeJudge(step: Step, asked: Asked, context: ExchangeContext): ExchangeJudge {
  const { exchange } = asked;
  const functionName = asked.call?.functionName ?? null;
  const known = new Map<Assertion, readonly Finding[]>();
  const applies = ({ when }: Assertion): boolean =>
    unmetCondition(when, context.opened, context.eraAsked) === null;
  const statusAssertion = step.expect.find(
    (assertion): assertion is AssertionOf<'status' | 'outcome'> =>
      assertion.kind === 'status' || (assertion.kind === 'outcome' && applies(assertion)),
  );
  const establishing = (established: Check['establishes']): Assertion | undefined =>
    step.expect.find(
      (assertion) => assertion.kind === 'check' && checks.get(assertion.check)?.establishes === established,
    );
  /** The assertion that reports a missing answer. */
  const reporter = establishing('answer') ?? step.expect.find(applies) ?? step.expect[0];
  const unansweredBy = reporter?.requirement ?? step.id;
  const objectRequirement = establishing('json-object')?.requirement;

  const answer = (): Prerequisite => {
    if (exchange.kind === 'unanswered') return { met: false, by: unansweredBy };
    return statusAssertion === undefined || holds(findings(statusAssertion))
      ? MET
      : { met: false, by: statusAssertion.requirement };
  };
  const body = (): Prerequisite => {
    const answered = answer();
    if (!answered.met || exchange.kind === 'unanswered') return answered;
    const { value } = jsonBody(exchange);
    const usable = objectRequirement === undefined ? value !== undefined : isJsonObject(value);
    return usable ? MET : { met: false, by: objectRequirement ?? step.id };
  };
  const requirement = (id: string): Prerequisite => {
    const own = findingsOn(id, step, findings);
    const open = firstOpen(own);
    if (own.length > 0 && open === undefined) return MET;
    return { met: false, by: open?.outcome === 'blocked' ? open.blockedBy : id };
  };

  const isSlow =
    exchange.kind === 'unanswered' &&
    exchange.reason.code === 'timeout' &&
    context.isSilent(functionName ?? String(ownProperty(asked.item, 'name')));
  const unlessSlow = (finding: Finding): Finding => {
    if (finding.outcome !== 'failed' || !isSlow) return finding;
    const { outcome: _, ...evidence } = finding;
    return undecided({ ...evidence, because: 'not-exercised', fault: 'harness', advice: SLOW_ADVICE });
  };

  const failedRequirements = (): readonly string[] =>
    step.expect
      .filter((assertion) => !isOfSeveral(assertion, checks))
      .filter((assertion) => findings(assertion).some(({ outcome }) => outcome === 'failed'))
      .map(({ requirement: id }) => id);

  const isReportedAlready = (assertion: Assertion): boolean =>
    exchange.kind === 'unanswered' &&
    reporter !== undefined &&
    reporter !== assertion &&
    reporter.requirement === assertion.requirement &&
    !holds(findings(reporter));

  const findings = (assertion: Assertion): readonly Finding[] => {
    const remembered = known.get(assertion);
    if (remembered !== undefined) return remembered;
    const made = isReportedAlready(assertion)
      ? []
      : atMost(
          [unmetFinding(assertion, step, findings, functionName, context) ?? judge(assertion)]
            .flat()
            .map(unlessSlow),
        );
    known.set(assertion, made);
    return made;
  };

  const judgeMeaning = (assertion: AssertionOf<'status' | 'outcome'>): Finding => {
    if (assertion.kind === 'outcome' && exchange.kind !== 'unanswered')
      return judgeOutcome(assertion, exchange, asked, context);
    if (assertion.kind === 'status' && exchange.kind === 'answered')
      return judgeStatus(assertion, exchange, asked, context);
    return OVER_HTTP;
  };

  const judge = (assertion: Assertion): Finding | readonly Finding[] => {
    const check = assertion.kind === 'check' ? checks.get(assertion.check) : undefined;
    const isLost = hadNoConnection(exchange) && saysNothingWhenDown(step);
    if (assertion.kind === 'check' && check?.sees === 'exchange' && !isLost)
      return decided(check, assertion, check.judge({ ...checkContext(assertion, context), ...asked }));
    if (exchange.kind === 'unanswered')
      return assertion.requirement === unansweredBy
        ? judgeNoAnswer(exchange.reason, isLost)
        : blocked(unansweredBy);
    if (assertion === statusAssertion) return judgeMeaning(assertion);
    if (assertion.kind === 'time') return judgeTime(assertion, exchange);
    const answered = answer();
    // The status assertion has already reported why the requirement is open.
    if (!answered.met) return answered.by === assertion.requirement ? [] : blocked(answered.by);
    if (assertion.kind === 'status' || assertion.kind === 'outcome') return judgeMeaning(assertion);
    // Without a status assertion, a refusal was not detected yet.
    const turnedAway =
      statusAssertion === undefined && exchange.kind === 'answered'
        ? judgeTurnedAway(exchange, 'an answer to the request itself', context)
        : null;
    if (turnedAway !== null) return turnedAway;
    if (assertion.kind === 'header')
      if (exchange.kind === 'heard') return OVER_HTTP;
      else return inWordsOf(assertion, judgeHeader(assertion, exchange, context.schemas));
    if (assertion.kind === 'check' && check?.sees === 'answer') {
      if (exchange.kind === 'heard') return OVER_HTTP;
      return decided(
        check,
        assertion,
        check.judge({ ...checkContext(assertion, context), ...asked, exchange }),
      );
    }
    const { value, problem } = jsonBody(exchange);
    // If the body must be an object and is not, nothing else can be judged.
    if (objectRequirement !== undefined && !isJsonObject(value)) return blocked(objectRequirement);
    if (value === undefined) {
      const { message, received, serversFault } = problem;
      return (serversFault ? failed : undecided)({ message, expected: 'JSON', received });
    }
    const { present, otherwise } = assertion.when;
    if (present !== null) {
      const selection = select(present, value);
      if (selection.kind === 'undecided') return undecidedSelector(present, selection);
      if (selection.nodes.length === 0) return inapplicable(otherwise ?? `the answer has no ${present}`);
    }
    if (assertion.kind === 'check' && check?.sees === 'json')
      return decided(
        check,
        assertion,
        check.judge({ ...checkContext(assertion, context), ...asked, exchange, value }),
      );
    if (assertion.kind === 'body') {
      const { at, expectation } = assertion;
      const selection = select(at, value);
      if (selection.kind === 'undecided') return undecidedSelector(at, selection);
      return inWordsOf(
        assertion,
        judgeNodes(exactNodes(exchange, selection.nodes), at, expectation, context.schemas),
      );
    }
    return notOfOneAnswer(assertion);
  };

  return { findings, answer, body, requirement, failed: failedRequirements };
}

const OVER_HTTP = inapplicable('the server does not speak over HTTP');

const SLOW_ADVICE =
  'Give calls more time with --timeout, or an input that is answered sooner under samples in probity.config.yaml. The server answers other calls.';

function undecidedSelector(at: string, { reason }: Extract<Selection, { kind: 'undecided' }>): Finding {
  return undecided({
    message: `the selector ${at} cannot be applied: ${reason}`,
    expected: 'an answer to which the selector can be applied',
    received: reason,
  });
}

function inWordsOf(
  { message }: AssertionOf<'header' | 'body'>,
  found: Finding | readonly Finding[],
): readonly Finding[] {
  return [found]
    .flat()
    .map((finding) => (message === null || finding.outcome !== 'failed' ? finding : { ...finding, message }));
}

/** Everything else was judged above: what is left needs several answers, or is a check that does not exist. */
function notOfOneAnswer(assertion: AssertionOf<'check' | 'budget'>): Finding {
  if (assertion.kind === 'check' && !checks.has(assertion.check)) return unknownCheck(assertion.check);
  return notJudged('it is judged on several answers together, not on one');
}

const MAX_FINDINGS = 100;

/** Ten thousand findings of one kind are no more useful than a hundred, and too many for a report. */
function atMost(findings: readonly Finding[]): readonly Finding[] {
  const rest = findings.length - MAX_FINDINGS;
  if (rest <= 0) return findings;
  return findings.slice(0, MAX_FINDINGS).map((finding, index) => {
    if (index < MAX_FINDINGS - 1 || !('message' in finding)) return finding;
    return { ...finding, message: `${finding.message}; and ${rest} more findings like it` };
  });
}

/** If the server is down before a negative step starts, the step is undecided, unless it tests for that. */
function saysNothingWhenDown({ phase, use }: Step): boolean {
  return phase === 'negative' && use.kind === 'none';
}

/** Requirements of earlier steps are judged after the run; until then they count as met. Pure. */
export function judgeDuringRun(basis: JudgeBasis): JudgeExchange {
  const common = settledContext(basis);
  // The same answer is judged whenever something depends on it.
  const known = new WeakMap<
    Exchange,
    { readonly of: Step; readonly by: KnownForm; readonly judge: ExchangeJudge }
  >();
  return (step, asked, form) => {
    const { exchange } = asked;
    const earlier = known.get(exchange);
    if (earlier?.of === step && earlier.by === form) return earlier.judge;
    const judge = createExchangeJudge(step, asked, {
      ...common,
      form,
      opened: null,
      eraAsked: null,
      used: {},
      earlierFinding: () => passed,
      servedElsewhere: false,
      isRestrained: () => false,
      isSilent: () => false,
      rateLimitAdvice: '',
    });
    known.set(exchange, { of: step, by: form, judge });
    return judge;
  };
}
