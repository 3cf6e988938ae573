import { checks } from '../../generated/checks.ts';
import { ownProperty } from '../../json/json.ts';
import { OptionError } from '../../model/arguments.ts';
import type { BudgetedOperation } from '../../model/budget.ts';
import { LISTING_LEVELS } from '../../model/listing.ts';
import { type Demands, type RunSettings, targetKindOf } from '../../model/report.ts';
import type { TokenSetting } from '../../model/request-template.ts';
import { type LevelByTarget, textFor } from '../../model/requirement.ts';
import {
  type Assertion,
  isFor,
  type Step,
  type Suite,
  type TargetKind,
  usedStepIds,
  usesEveryStep,
} from '../../model/suite.ts';
import { matchesGlob } from '../../text/glob.ts';
import { isOfMcp, matcher } from './named-requirements.ts';
import { isProvoking, isTimed, lackedToken } from './step-kinds.ts';
import { withPrerequisites, withWhatTheyNeed } from './step-order.ts';
import { forWire } from './wire-steps.ts';

/** Whether a step shows that the target answers at all, which an entry of a directory states. */
function readsHealth({ request }: Step): boolean {
  return request?.kind === 'get' && request.path === '/health';
}

export interface PlannedRequirement {
  readonly id: string;
  readonly level: LevelByTarget;
  readonly spec: string;
  readonly text: string;
}

/** What a run decides, and the steps that it needs, each after its prerequisites. */
export interface Selection {
  readonly requirements: ReadonlyMap<string, PlannedRequirement>;
  readonly steps: readonly Step[];
  /** The step whose first call detects the form of /execute; it need not be selected. */
  readonly formStep: Step | null;
}

export interface SelectionOptions
  extends Pick<
    RunSettings,
    'only' | 'skip' | 'readOnly' | 'listingGiven' | 'directory' | 'mcp' | TokenSetting | keyof Demands
  > {
  readonly latency: Pick<RunSettings['latency'], 'off' | 'budgets'>;
}

export function selectSteps(suites: readonly Suite[], options: SelectionOptions): Selection {
  const kind = targetKindOf(options);
  const ofKind = suites.filter((suite) => isFor(kind, suite)).flatMap(({ steps }) => steps);
  const allSteps = forWire(ofKind, options.mcp);
  const available = availableSteps(
    allSteps.filter((step) => lackedToken(step, options) === null),
    options,
  ).map((step) => ({ ...step, expect: step.expect.filter((assertion) => isDemanded(assertion, options)) }));
  const known = new Set([
    // One configuration may be for servers of both wires.
    ...(kind === 'mcp' ? ofKind : allSteps).flatMap(({ expect }) =>
      expect.map(({ requirement }) => requirement),
    ),
    ...(kind === 'directory' ? [] : Object.keys(LISTING_LEVELS)),
  ]);
  const wanted = matcher(options.only, known, 'only', kind);
  const unwanted = matcher(options.skip, known, 'skip', kind);
  if (kind === 'server' && options.only.length > 0 && options.only.every(isOfMcp))
    throw new OptionError(
      'only',
      `\`only\` ${options.only.join(', ')}: only for servers of the Model Context Protocol. Pass \`mcp\`, or --wire mcp on the command line.`,
    );
  const requirements = new Map<string, PlannedRequirement>();
  for (const { requirement, level, spec, text } of inOrderOfAreas(available)) {
    if (options.only.length > 0 && !wanted(requirement)) continue;
    if (unwanted(requirement)) continue;
    if (requirements.has(requirement)) continue;
    const words = textFor(text, kind === 'mcp' ? 'mcp' : 'rest');
    requirements.set(requirement, { id: requirement, level, spec, text: words });
  }
  const decidesListing = options.listingGiven === true && listingWanted(options).length > 0;
  if (requirements.size === 0 && !decidesListing)
    throw (
      lackedBy(allSteps, wanted, options) ??
      undemanded(allSteps, wanted, options) ??
      nothingToDecide(options, kind)
    );
  // What an assertion judges on the side is not worth sending requests for: another step decides its requirement.
  const decided = new Set(
    available.flatMap(({ expect }) =>
      expect.filter((one) => !isIncidental(one)).map(({ requirement }) => requirement),
    ),
  );
  const isOnlyBeside = (assertion: Assertion): boolean =>
    isIncidental(assertion) && decided.has(assertion.requirement);
  const decides = (fits: (requirement: string) => boolean): readonly Step[] =>
    available.filter(({ expect }) =>
      expect.some((assertion) => fits(assertion.requirement) && !isOnlyBeside(assertion)),
    );
  const reached = decidesListing ? available.filter(readsHealth).slice(0, 1) : [];
  const chosen = [...new Set([...decides((requirement) => requirements.has(requirement)), ...reached])];
  // A step that judges every answer, or what is left after them, needs all of them, whatever else is selected; timed
  // repetitions add nothing.
  const deciding = chosen.some((step) => usesEveryStep(step) || step.phase === 'last')
    ? decides((requirement) => !unwanted(requirement)).filter(
        (step) => !isTimed(step) || chosen.includes(step),
      )
    : chosen;
  // Of these, only steps that judge every answer look at the answers.
  const withoutRule = new Set(ofKind.filter(({ expect }) => expect.length === 0).map(({ id }) => id));
  const awaited = new Set(available.flatMap((step) => [...step.needs, ...usedStepIds(step)]));
  const unjudged = deciding.some(usesEveryStep)
    ? available.filter(({ id, request }) => request !== null && withoutRule.has(id) && !awaited.has(id))
    : [];
  const formStep = available.find(
    (step) =>
      step.request?.kind === 'execute' &&
      step.rounds.forEach !== null &&
      step.request.arguments.kind === 'sample' &&
      step.experiment === null,
  );
  const comparing = options.latency.budgets.some(({ limit }) => 'timesHealth' in limit);
  const yardstick =
    comparing && deciding.some(isTimed) ? available.filter((step) => judgesBudgetOf(step, 'health')) : [];
  // It sends nothing, and judges the answers that the others cause.
  const beside = available.filter(
    (step) =>
      step.request === null &&
      usesEveryStep(step) &&
      step.expect.some((one) => requirements.has(one.requirement) && isOnlyBeside(one)),
  );
  const needed = new Set(
    withPrerequisites([...new Set([...deciding, ...unjudged, ...yardstick, ...beside])], available),
  );
  // In the order of the suites, whatever made each step necessary: what a call finds depends on the calls before it.
  const steps = withPrerequisites(
    available.filter((step) => needed.has(step)),
    available,
  );
  return { requirements, steps, formStep: formStep ?? null };
}

/** Without the steps that the options leave out. */
function availableSteps(
  steps: readonly Step[],
  { readOnly, latency }: Pick<SelectionOptions, 'readOnly' | 'latency'>,
): readonly Step[] {
  const reading = readOnly
    ? withWhatTheyNeed(steps.filter((step) => !changesSomething(step) && !isProvoking(step)))
    : steps;
  if (!latency.off) return reading;
  const timed = new Set(steps.filter(isTimed).map(({ id }) => id));
  return reading.filter(({ id, use }) => !timed.has(id) && !(use.kind === 'step' && timed.has(use.id)));
}

/** The only rows need a token that was not given. */
function lackedBy(
  steps: readonly Step[],
  wanted: (id: string) => boolean,
  options: SelectionOptions,
): OptionError | undefined {
  const lacked = steps
    .filter(({ expect }) => expect.some(({ requirement }) => wanted(requirement)))
    .flatMap((step) => lackedToken(step, options) ?? []);
  if (lacked[0] === undefined) return undefined;
  return new OptionError(
    'only',
    `\`only\` ${options.only.join(', ')}: needs \`${lacked[0]}\`, a further token.`,
  );
}

/** The only rows are decided if an option asks for them. */
function undemanded(
  steps: readonly Step[],
  wanted: (id: string) => boolean,
  options: SelectionOptions,
): OptionError | undefined {
  const named = steps
    .flatMap(({ expect }) => expect)
    .find((assertion) => wanted(assertion.requirement) && !isDemanded(assertion, options));
  if (named === undefined || options.only.length === 0) return undefined;
  return new OptionError(
    'only',
    `\`only\` ${options.only.join(', ')}: ${named.requirement} is decided only with an option of its own. \`probity explain ${named.requirement}\` names it.`,
  );
}

function nothingToDecide(options: SelectionOptions, kind: TargetKind): OptionError {
  if (listingWanted(options).length > 0 && options.only.length > 0)
    return new OptionError(
      'only',
      `\`only\` ${options.only.join(',')}: these requirements are about a listing. They need \`listingGiven\`.`,
    );
  return new OptionError(
    'only',
    'Nothing is left to decide: `only`, `skip`, `readOnly` and `latency.off` leave out every requirement' +
      (kind !== 'mcp'
        ? '.'
        : ' of a server of the Model Context Protocol. Some of health/*, capabilities/*, execute/*, errors/* and robustness/* are only for servers of forms A and B: rows of mcp/* decide what the protocol asks for instead.'),
  );
}

/** All assertions. A requirement is listed with the suite of its area, even if another suite decides it earlier. */
function inOrderOfAreas(steps: readonly Step[]): readonly Assertion[] {
  const areaOf = (id: string): string => id.slice(0, id.indexOf('/'));
  const isAtHome = (step: Step, { requirement }: Assertion): boolean =>
    areaOf(step.id) === areaOf(requirement);
  const atHome = new Set(
    steps.flatMap((step) =>
      step.expect.filter((assertion) => isAtHome(step, assertion)).map(({ requirement }) => requirement),
    ),
  );
  return steps.flatMap((step) =>
    step.expect.filter((assertion) => isAtHome(step, assertion) || !atHome.has(assertion.requirement)),
  );
}

/** The listing requirements that the options select. */
export function listingWanted({ only, skip }: Pick<SelectionOptions, 'only' | 'skip'>): readonly string[] {
  const fits = (patterns: readonly string[], id: string): boolean =>
    patterns.some((pattern) => matchesGlob(pattern, id));
  return Object.keys(LISTING_LEVELS).filter((id) => (only.length === 0 || fits(only, id)) && !fits(skip, id));
}

/** Only calls of functions, and bodies that a suite writes, may change something at the target. */
export function changesSomething({ request }: Step): boolean {
  if (request?.kind === 'message') return ownProperty(request.message, 'method') === 'tools/call';
  return request?.kind === 'execute' || request?.kind === 'post';
}

function judgesBudgetOf({ expect }: Step, operation: BudgetedOperation): boolean {
  return expect.some((assertion) => assertion.kind === 'budget' && assertion.of === operation);
}

/** Whether the user asked for what it decides. */
export function isDemanded(assertion: Assertion, demands: Demands): boolean {
  return (
    assertion.kind !== 'check' ||
    checks.get(assertion.check)?.isDemanded(assertion.options, demands) !== false
  );
}

/** It judges only answers that happen to come; where its step does not run, other steps decide the requirement. */
export function isIncidental(assertion: Assertion): boolean {
  return assertion.kind === 'check' && checks.get(assertion.check)?.isIncidental(assertion.options) === true;
}
