import { type Asked, type Check, isOfSeveral } from '../checks/define-check.ts';
import { exactNodes, jsonBody } from '../checks/json/json-body.ts';
import { judgeNodes } from '../checks/json/nodes.ts';
import { checks } from '../generated/checks.ts';
import { isJsonObject, ownProperty } from '../json/json.ts';
import { type Selection, select } from '../json/selector.ts';
import type { Answer } from '../model/exchange.ts';
import { type Finding, failed, inapplicable, undecided } from '../model/judgement.ts';
import type { Assertion, AssertionOf, Step } from '../model/suite.ts';
import { type ExchangeJudge, MET, type Prerequisite } from '../run/state/exchange-judge.ts';
import { hadNoConnection } from '../run/state/request-outcome.ts';
import { unmetCondition } from '../run/steps/unmet-condition.ts';
import { judgeHeader, judgeNoAnswer, judgeStatus, judgeTime, judgeTurnedAway } from './judge-answer.ts';
import { checkContext, type ExchangeContext } from './judge-context.ts';
import { judgeOutcome } from './judge-outcome.ts';
import { blocked, decided, notJudged, unknownCheck } from './not-judged.ts';
import { findingsOn, firstOpen, holds, unmetFinding } from './prerequisites.ts';

/** Judges one exchange of a step, assertion by assertion, each once. Pure. */
export class JudgedExchange implements ExchangeJudge {
  readonly #step: Step;
  readonly #asked: Asked;
  readonly #context: ExchangeContext;
  readonly #known = new Map<Assertion, readonly Finding[]>();
  readonly #statusAssertion: AssertionOf<'status' | 'outcome'> | undefined;
  /** The assertion that reports a missing answer. */
  readonly #reporter: Assertion | undefined;
  readonly #unansweredBy: string;
  readonly #objectRequirement: string | undefined;

  constructor(step: Step, asked: Asked, context: ExchangeContext) {
    this.#step = step;
    this.#asked = asked;
    this.#context = context;
    const applies = ({ when }: Assertion): boolean =>
      unmetCondition(when, context.opened, context.eraAsked) === null;
    this.#statusAssertion = step.expect.find(
      (assertion): assertion is AssertionOf<'status' | 'outcome'> =>
        assertion.kind === 'status' || (assertion.kind === 'outcome' && applies(assertion)),
    );
    this.#reporter = establishing(step, 'answer') ?? step.expect.find(applies) ?? step.expect[0];
    this.#unansweredBy = this.#reporter?.requirement ?? step.id;
    this.#objectRequirement = establishing(step, 'json-object')?.requirement;
  }

  answer(): Prerequisite {
    if (this.#asked.exchange.kind === 'unanswered') return { met: false, by: this.#unansweredBy };
    const status = this.#statusAssertion;
    return status === undefined || holds(this.findings(status))
      ? MET
      : { met: false, by: status.requirement };
  }

  body(): Prerequisite {
    const { exchange } = this.#asked;
    const answered = this.answer();
    if (!answered.met || exchange.kind === 'unanswered') return answered;
    const { value } = jsonBody(exchange);
    const usable = this.#objectRequirement === undefined ? value !== undefined : isJsonObject(value);
    return usable ? MET : { met: false, by: this.#objectRequirement ?? this.#step.id };
  }

  requirement(id: string): Prerequisite {
    const own = findingsOn(id, this.#step, (assertion) => this.findings(assertion));
    const open = firstOpen(own);
    if (own.length > 0 && open === undefined) return MET;
    return { met: false, by: open?.outcome === 'blocked' ? open.blockedBy : id };
  }

  failed(): readonly string[] {
    return this.#step.expect
      .filter((assertion) => !isOfSeveral(assertion, checks))
      .filter((assertion) => this.findings(assertion).some(({ outcome }) => outcome === 'failed'))
      .map(({ requirement: id }) => id);
  }

  findings(assertion: Assertion): readonly Finding[] {
    const known = this.#known.get(assertion);
    if (known !== undefined) return known;
    const made = this.#isReportedAlready(assertion) ? [] : atMost(this.#judgeIfMet(assertion));
    this.#known.set(assertion, made);
    return made;
  }

  #judgeIfMet(assertion: Assertion): readonly Finding[] {
    const functionName = this.#asked.call?.functionName ?? null;
    const findings = (one: Assertion): readonly Finding[] => this.findings(one);
    const unmet = unmetFinding(assertion, this.#step, findings, functionName, this.#context);
    const found = [unmet ?? this.#judge(assertion)].flat();
    return this.#isSlow() ? found.map(undecidedIfSlow) : found;
  }

  #isSlow(): boolean {
    const { exchange, call, item } = this.#asked;
    return (
      exchange.kind === 'unanswered' &&
      exchange.reason.code === 'timeout' &&
      this.#context.isSilent(call?.functionName ?? String(ownProperty(item, 'name')))
    );
  }

  #isReportedAlready(assertion: Assertion): boolean {
    const reporter = this.#reporter;
    return (
      this.#asked.exchange.kind === 'unanswered' &&
      reporter !== undefined &&
      reporter !== assertion &&
      reporter.requirement === assertion.requirement &&
      !holds(this.findings(reporter))
    );
  }

  #judge(assertion: Assertion): Finding | readonly Finding[] {
    const { exchange } = this.#asked;
    const check = assertion.kind === 'check' ? checks.get(assertion.check) : undefined;
    const isLost = hadNoConnection(exchange) && saysNothingWhenDown(this.#step);
    if (assertion.kind === 'check' && check?.sees === 'exchange' && !isLost)
      return decided(
        check,
        assertion,
        check.judge({ ...checkContext(assertion, this.#context), ...this.#asked }),
      );
    if (exchange.kind === 'unanswered')
      return assertion.requirement === this.#unansweredBy
        ? judgeNoAnswer(exchange.reason, isLost, this.#step)
        : blocked(this.#unansweredBy);
    if (assertion === this.#statusAssertion) return this.#judgeMeaning(assertion);
    if (assertion.kind === 'time') return judgeTime(assertion, exchange);
    const answered = this.answer();
    // The status assertion has already reported why the requirement is open.
    if (!answered.met) return answered.by === assertion.requirement ? [] : blocked(answered.by);
    if (assertion.kind === 'status' || assertion.kind === 'outcome') return this.#judgeMeaning(assertion);
    // Without a status assertion, a refusal was not detected yet.
    const turnedAway =
      this.#statusAssertion === undefined && exchange.kind === 'answered'
        ? judgeTurnedAway(exchange, 'an answer to the request itself', this.#context)
        : null;
    return turnedAway ?? this.#judgeContent(assertion, exchange);
  }

  #judgeMeaning(assertion: AssertionOf<'status' | 'outcome'>): Finding {
    const { exchange } = this.#asked;
    if (assertion.kind === 'outcome' && exchange.kind !== 'unanswered')
      return judgeOutcome(assertion, exchange, this.#asked, this.#context);
    if (assertion.kind === 'status' && exchange.kind === 'answered')
      return judgeStatus(assertion, exchange, this.#asked, this.#context);
    return OVER_HTTP;
  }

  /** What an answer contains that has the expected meaning. */
  #judgeContent(
    assertion: AssertionOf<'header' | 'check' | 'body' | 'budget'>,
    exchange: Answer,
  ): Finding | readonly Finding[] {
    const { schemas } = this.#context;
    const check = assertion.kind === 'check' ? checks.get(assertion.check) : undefined;
    if (assertion.kind === 'header')
      return exchange.kind === 'heard'
        ? OVER_HTTP
        : inWordsOf(assertion, judgeHeader(assertion, exchange, schemas));
    if (assertion.kind === 'check' && check?.sees === 'answer') {
      if (exchange.kind === 'heard') return OVER_HTTP;
      const context = { ...checkContext(assertion, this.#context), ...this.#asked, exchange };
      return decided(check, assertion, check.judge(context));
    }
    const { value, problem } = jsonBody(exchange);
    // If the body must be an object and is not, nothing else can be judged.
    if (this.#objectRequirement !== undefined && !isJsonObject(value))
      return blocked(this.#objectRequirement);
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
    if (assertion.kind === 'check' && check?.sees === 'json') {
      const context = { ...checkContext(assertion, this.#context), ...this.#asked, exchange, value };
      return decided(check, assertion, check.judge(context));
    }
    if (assertion.kind !== 'body') return notOfOneAnswer(assertion);
    const { at, expectation } = assertion;
    const selection = select(at, value);
    if (selection.kind === 'undecided') return undecidedSelector(at, selection);
    return inWordsOf(assertion, judgeNodes(exactNodes(exchange, selection.nodes), at, expectation, schemas));
  }
}

function establishing(step: Step, established: Check['establishes']): Assertion | undefined {
  return step.expect.find(
    (assertion) => assertion.kind === 'check' && checks.get(assertion.check)?.establishes === established,
  );
}

function undecidedIfSlow(finding: Finding): Finding {
  if (finding.outcome !== 'failed') return finding;
  const { outcome: _, ...evidence } = finding;
  return undecided({ ...evidence, because: 'not-exercised', fault: 'harness', advice: SLOW_ADVICE });
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
