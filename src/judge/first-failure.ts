import { isOfSeveral } from '../checks/define-check.ts';
import { checks } from '../generated/checks.ts';
import { type Finding, type JudgedPlace, passed } from '../model/judgement.ts';
import { levelFor } from '../model/requirement.ts';
import { methodAndPlace } from '../model/sent.ts';
import type { Assertion, AssertionOf, Step } from '../model/suite.ts';
import type { Opened } from '../model/wire.ts';
import type { KnownForm } from '../run/state/record.ts';
import type { AskedInstance, KnownAtAnswer, OnAnswer } from '../run/state/run-input.ts';
import { isIncidental } from '../run/steps/selection.ts';
import { asksExecute, isProvoking } from '../run/steps/step-kinds.ts';
import { unmetCondition } from '../run/steps/unmet-condition.ts';
import { checkContext, type ExchangeContext, type JudgeBasis } from './judge-context.ts';
import { contextDuringRun } from './judge-during-run.ts';
import { JudgedExchange } from './judge-exchange.ts';
import { MaybeMissingExecute } from './missing-execute.ts';
import { decided } from './not-judged.ts';
import { unmetFinding } from './prerequisites.ts';
import { ReplacedSoFar } from './replaced-so-far.ts';

/** A requirement that one answer breaks, seen while the run goes on. */
export interface FirstFailure {
  readonly requirement: string;
  /** The function that was called; null for the server. */
  readonly function: string | null;
  /** What was asked: a method, and an address or a conversation. */
  readonly request: string;
  readonly message: string;
  readonly expected: string;
}

interface Watched extends JudgeBasis {
  /** The steps of the run. */
  readonly steps: readonly Step[];
  /** Ids of the requirements that the run decides. */
  readonly requirements: ReadonlySet<string>;
  readonly acceptance: EarlyAcceptance;
}

type Failed = Extract<Finding, { outcome: 'failed' }>;

/** A failure as the report will have it, seen while the run goes on. */
export interface SeenFailure {
  readonly requirement: string;
  readonly finding: Failed;
  readonly where: Pick<JudgedPlace, 'step' | 'line' | 'function' | 'case'>;
}

/** What a baseline accepts, as far as it is known while the run goes on. */
export interface EarlyAcceptance {
  /** Of an answer that its own step judges. */
  readonly accepts: (failure: SeenFailure) => boolean;
  /** Of a row on all answers, whose finding may be about another answer in the end. */
  readonly mayAccept: (failure: SeenFailure) => boolean;
}

interface Seen {
  readonly assertion: Assertion;
  readonly finding: Failed;
  /** Whether the answer was judged by its own step. */
  readonly isOwn: boolean;
}

/**
 * Notices the first answer of a run that breaks a MUST. Only what a single answer shows can be told before the end: what
 * needs several answers, or the doubts that later ones raise, is judged after the run. An answer is judged by its own step,
 * and by the rows on all answers that one of them breaks for good.
 */
export function watchForFailure(watched: Watched, onFailure: (failure: FirstFailure) => void): OnAnswer {
  const { requirements, acceptance, steps, ...basis } = watched;
  const common = contextDuringRun(basis);
  const rows = rowsOnAllAnswers(steps).map((row): RowSoFar => ({ ...row, accepted: [] }));
  const replaced = new ReplacedSoFar(basis.settings);
  const missing = new MaybeMissingExecute(steps);
  let hasFailed = false;
  let postponed: FirstFailure | null = null;
  const tell = (failure: FirstFailure): void => {
    hasFailed = true;
    onFailure(failure);
  };
  return (step, asked, now) => {
    if (hasFailed) return;
    replaced.note(asked.exchange);
    missing.note(step, asked.exchange);
    if (postponed !== null && !missing.isPossible) return tell(postponed);
    const counts = ({ requirement, level }: Assertion, { form }: KnownForm): boolean =>
      requirements.has(requirement) && levelFor(level, form) === 'MUST';
    for (const { assertion, finding, isOwn } of failuresOf(step, asked, now, {
      basis,
      common,
      acceptance,
      rows,
      counts,
    })) {
      if (replaced.mayBeWhy(finding, asked.exchange)) continue;
      const { method, place } = methodAndPlace(asked.exchange.request);
      const failure = {
        requirement: assertion.requirement,
        function: asked.call?.functionName ?? null,
        request: `${method} ${place}`,
        message: finding.message,
        expected: finding.expected,
      };
      if (!isOwn || !missing.mayBeWhy(step, assertion)) return tell(failure);
      postponed ??= failure;
    }
  };
}

interface RowOnAllAnswers {
  readonly step: Step;
  readonly assertion: AssertionOf<'check'>;
}

interface RowSoFar extends RowOnAllAnswers {
  /** The answers that break it and that the baseline may accept. */
  readonly accepted: AskedInstance[];
}

/** The assertions that judge every answer of a run, each of them by itself. */
function rowsOnAllAnswers(steps: readonly Step[]): readonly RowOnAllAnswers[] {
  return steps
    .filter((step) => step.use.kind === 'every-step' && step.needs.length === 0 && !isProvoking(step))
    .flatMap((step) => step.expect.map((assertion) => ({ step, assertion })))
    .filter((row): row is RowOnAllAnswers => row.assertion.kind === 'check')
    .filter(({ assertion }) => checks.get(assertion.check)?.breaksAlone === true);
}

interface Judging {
  readonly basis: JudgeBasis;
  readonly common: ReturnType<typeof contextDuringRun>;
  readonly acceptance: EarlyAcceptance;
  readonly rows: readonly RowSoFar[];
  readonly counts: (assertion: Assertion, form: KnownForm) => boolean;
}

/** What the answer breaks, whatever else comes. */
function* failuresOf(
  step: Step,
  asked: AskedInstance,
  { form, opened, main }: KnownAtAnswer,
  { basis, common, acceptance, rows, counts }: Judging,
): Generator<Seen> {
  let isOpen = false;
  // Whatever asks for it may be judged otherwise after the run.
  const later = <Value>(value: Value): Value => {
    isOpen = true;
    return value;
  };
  const context: ExchangeContext = {
    ...common,
    form,
    opened,
    earlierFinding: () => later(passed),
    isRestrained: () => later(false),
    isSilent: () => true,
  };
  const own = new JudgedExchange(step, asked, context);
  for (const assertion of step.expect) {
    if (!counts(assertion, form) || isIncidental(assertion)) continue;
    if (isOfSeveral(assertion, checks) || mayNotApply(assertion, opened, basis)) continue;
    const finding = own
      .findings(assertion)
      .filter(isFailed)
      .find((one) => !acceptance.accepts(seenFailure(step, assertion, one, asked)));
    if (finding !== undefined && !isOpen) yield { assertion, finding, isOwn: true };
  }
  // Of all answers, those of calls show the form, and the main conversation what both sides speak.
  const isSettled = basis.settings.mcp === undefined ? asksExecute(step.request) : main !== null;
  if (!isSettled || step.request?.abort != null) return;
  const ofAll = { ...context, opened: main };
  for (const { step: ofRow, assertion, accepted } of rows) {
    const check = checks.get(assertion.check);
    if (check?.sees !== 'step' || !counts(assertion, form)) continue;
    isOpen = false;
    if (unmetFinding(assertion, step, () => [], null, ofAll) !== null) continue;
    const findingIn = (some: readonly AskedInstance[]): Failed | undefined => {
      const seen = { asked: some, exchanges: some.map(({ exchange }) => exchange), conversations: [] };
      const made = decided(check, assertion, check.judge({ ...checkContext(assertion, ofAll), ...seen }));
      return made
        .filter(isFailed)
        .find(({ exchangeKey = asked.exchange.request.key }) => exchangeKey === asked.exchange.request.key);
    };
    const finding = findingIn([asked]);
    if (finding === undefined || isOpen) continue;
    // Many rows have one finding for all answers, or for all of a function: that of an accepted answer includes this one.
    const isAccepted =
      acceptance.mayAccept(seenFailure(ofRow, assertion, finding, asked)) ||
      (accepted.length > 0 && findingIn([...accepted, asked]) === undefined);
    if (isAccepted) accepted.push(asked);
    else yield { assertion, finding, isOwn: false };
  }
}

function seenFailure(
  step: Step,
  { requirement, where }: Assertion,
  finding: Failed,
  { functionName, caseId }: AskedInstance,
): SeenFailure {
  const name = finding.function ?? functionName;
  return {
    requirement,
    finding,
    where: {
      step: step.id,
      line: where.line,
      ...(name ? { function: name } : {}),
      ...(caseId ? { case: caseId } : {}),
    },
  };
}

/** Before it is known what both sides speak, a condition on it may turn out to be unmet. */
function mayNotApply({ when }: Assertion, opened: Opened | null, { settings: { mcp } }: JudgeBasis): boolean {
  if (mcp === undefined || opened !== null) return unmetCondition(when, opened) !== null;
  return [when.channel, when.era, when.since, when.until, when.capability].some((one) => one !== null);
}

function isFailed(finding: Finding): finding is Failed {
  return finding.outcome === 'failed';
}
