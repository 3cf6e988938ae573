import { type Json, ownProperty, shorten } from '../json/json.ts';
import type { TransportFailureCode } from '../model/exchange.ts';
import { isForAnItemOf } from '../model/exchange-key.ts';
import {
  BAILED_FACT,
  type ExploringSettings,
  type Fact,
  type RunSettings,
  UNANSWERED,
} from '../model/report.ts';
import { callIn } from '../model/sent.ts';
import { MAX_CALLS_OF_CHANGING } from '../run/calls/restraint.ts';
import { shortWaitsIn } from '../run/calls/short-waits-in.ts';
import { type RunRecord, validCallsIn } from '../run/state/record.ts';
import { isExploring } from '../run/steps/step-kinds.ts';
import { matchesGlob } from '../text/glob.ts';
import { groupedBy } from '../text/grouped-by.ts';
import { namesInLine } from '../text/words.ts';
import { targetFacts } from './target-facts.ts';

/** Observations of a run that no requirement covers. */
export function buildFacts(record: RunRecord, targetUrl: string, settings: RunSettings): readonly Fact[] {
  const { maxItems, samples, producers = {}, exploring, mutating } = settings;
  return [
    record.hasBailed ? BAILED_FACT : null,
    formFact(record),
    ...boundFacts(record, maxItems),
    ...restrainedTexts(record.restrained).map((text) => ({ name: 'restraint', text })),
    ...learnedFacts(record),
    exploredFact(record),
    ...(settings.mcp === undefined ? [] : unansweredFacts(record)),
    ...createdFacts(record),
    ...untimedFacts(record),
    unlistedFact(record, 'samples', Object.keys(samples)),
    unlistedFact(record, 'producers', Object.keys(producers)),
    unlistedFact(record, 'regressions', functionsTriedFirst(exploring)),
    mutatingFact(record, Object.values(mutating.functions).flat()),
    ...targetFacts(record, targetUrl, settings),
  ].filter((fact) => fact !== null);
}

function functionsTriedFirst({
  first = {},
  firstSequences = [],
}: Partial<ExploringSettings> = {}): readonly string[] {
  return [...Object.keys(first), ...firstSequences.flat().map(({ functionName }) => functionName)];
}

/** Where inputs came from, so that a wrong conclusion is seen; `producers` in the configuration corrects it. */
function learnedFacts({ learned }: RunRecord): readonly Fact[] {
  return learned.map(({ functionName, parameters }) => {
    const sources = parameters.map(({ parameter, from, place, pointer }) => {
      const source = place === 'answer' ? 'the result' : 'the input';
      return `${parameter} from ${source} of ${JSON.stringify(from)} (${pointer})`;
    });
    const accepted =
      sources.length === 0
        ? 'its optional parameters, after it refused a call without them'
        : `values of other calls: ${sources.join(', ')}`;
    return { name: 'learned-input', text: `${JSON.stringify(functionName)} accepted ${accepted}` };
  });
}

/** What the run left behind. */
function createdFacts({ created }: RunRecord): readonly Fact[] {
  return created.map((things) => ({
    name: 'created',
    text: `${things.removed} of ${things.created} things that calls created were deleted with ${JSON.stringify(things.remover)}`,
  }));
}

/** How much the rows about generated inputs rest on. */
function exploredFact({ steps, exchanges }: RunRecord): Fact | null {
  const exploring = steps.filter((run) => run.kind === 'ran').filter(({ step }) => isExploring(step));
  if (exploring.length === 0) return null;
  const instances = exploring.flatMap((run) => run.instances);
  const names = new Set(instances.map(({ functionName }) => functionName));
  const made = exchanges.filter(({ request }) =>
    exploring.some(({ step }) => isForAnItemOf(request.key, step.id)),
  );
  const endedBy = (code: TransportFailureCode) =>
    made.filter((exchange) => exchange.kind === 'unanswered' && exchange.reason.code === code);
  const late = endedBy('deadline');
  // A saved run that is judged again asks for one more call where the original run ended.
  const calls = made.length - late.length - endedBy('interrupted').length - endedBy('not-recorded').length;
  const ofFunctions = names.size === 1 ? 'one function' : `${names.size} functions`;
  const cut = new Set(late.map(({ request }) => JSON.stringify(callIn(request)?.functionName)));
  const leftOut =
    cut.size === 0 ? '' : `; the time was over before all calls of ${[...cut].join(', ')} were made`;
  const brief = shortWaitsIn(instances);
  const kept = brief.length === 0 ? '' : `; only short waits for ${namesInLine(brief)}`;
  return {
    name: 'explored',
    text: `${calls} calls of ${ofFunctions} with generated inputs${kept}${leftOut}`,
  };
}

/**
 * Tools that answered some valid inputs and not others. The Model Context Protocol sets no time for a call, so that no row
 * counts them; but their author must hear of it.
 */
export function unansweredFacts(record: Pick<RunRecord, 'steps'>): readonly Fact[] {
  return [...groupedBy(validCallsIn(record), ({ call }) => call.functionName)].flatMap(([name, own]) => {
    const late = own.filter(
      ({ exchange }) => exchange.kind === 'unanswered' && exchange.reason.code === 'timeout',
    );
    const [first] = late;
    const answered = own.filter(({ exchange }) => exchange.kind !== 'unanswered').length;
    if (first === undefined || answered === 0) return [];
    const input = shorten(JSON.stringify(first.call.input ?? {}));
    return {
      name: UNANSWERED,
      text: `${JSON.stringify(name)} gave no answer in time to ${late.length} of ${late.length + answered} calls with valid inputs, such as ${input}, and answered the others. The protocol sets no time, so no requirement counts that`,
    };
  });
}

/** What is given for a function that is not listed is unused, and the name probably misspelt. */
function unlistedFact(
  record: RunRecord,
  what: 'samples' | 'producers' | 'regressions',
  givenNames: readonly string[],
): Fact | null {
  const names = listedNames(record);
  const unlisted = [...new Set(givenNames)].filter((name) => names?.includes(name) === false);
  if (unlisted.length === 0) return null;
  const shown = unlisted.map((name) => JSON.stringify(name)).join(', ');
  return {
    name: what,
    text: `the target lists no function ${shown}, for which ${what === 'regressions' ? 'regressions are kept' : `the configuration has ${what}`}`,
  };
}

/** A name or glob that matches no function has no effect, and is probably misspelt. */
function mutatingFact(record: RunRecord, patterns: readonly string[]): Fact | null {
  const names = listedNames(record);
  const unused = patterns.filter((pattern) => names?.some((name) => matchesGlob(pattern, name)) === false);
  if (unused.length === 0) return null;
  const shown = unused.map((pattern) => JSON.stringify(pattern)).join(', ');
  return { name: 'mutating', text: `the target lists no function that matches ${shown} under mutating` };
}

/** Null if the list was not read. */
function listedNames({ saved }: RunRecord): readonly string[] | null {
  const functions = saved.get('functions');
  if (!Array.isArray(functions)) return null;
  return (functions as readonly Json[]).map((entry) => String(ownProperty(entry, 'name')));
}

/** One fact for each number, not for each step. */
function boundFacts({ omissions }: RunRecord, maxItems: number): readonly Fact[] {
  const amounts = [...new Set(omissions.map(({ listed, called }) => `${called} of ${listed}`))];
  return amounts.map((amount) => {
    const steps = omissions
      .filter(({ listed, called }) => `${called} of ${listed}` === amount)
      .map(({ step }) => step);
    const text = `${amount} functions were called by ${steps.join(', ')}, spread evenly over the list; --max-functions raises the bound of ${maxItems}`;
    return { name: 'bound', text };
  });
}

const RESTRAINED_WORDS = {
  once: `at most ${MAX_CALLS_OF_CHANGING} calls of each, none timed, and two at once only of what creates something and is not named in the configuration`,
  never: 'not called',
  untimed: 'not timed, because their answers only repeat their input',
} as const;
const RESTRAINT_REASONS = {
  configured: 'named in the configuration',
  looks: 'may change something, by name, description or annotations',
  seen: 'may change something, as observed',
  unclear: 'nothing shows that it only reads',
} as const;
const MAX_NAMED_FUNCTIONS = 20;

/** Functions that were called less than others, why, and how to allow more. */
export function restrainedTexts(restrained: RunRecord['restrained']): readonly string[] {
  return (['once', 'untimed', 'never'] as const).flatMap((policy) => {
    const own = restrained.filter((one) => one.policy === policy);
    if (own.length === 0) return [];
    const groups = (['looks', 'seen', 'unclear', 'configured'] as const).flatMap((because) => {
      const names = own.filter((one) => one.because === because).map(({ functionName }) => functionName);
      if (names.length === 0) return [];
      return [`${namesInLine(names, MAX_NAMED_FUNCTIONS)} (${RESTRAINT_REASONS[because]})`];
    });
    return [
      `${groups.join(', ')}: ${RESTRAINED_WORDS[policy]}. To allow more: --mutating allow, or mutating in the configuration`,
    ];
  });
}

const UNTIMED_WORDS = {
  refused: 'it refuses the same request a second time',
  'asks-input': 'it asks for input before it answers',
  'no-time': 'there was no time left',
  'rate-limited': 'the target limits the rate',
} as const;

/** Answered calls that could not be timed. */
function untimedFacts({ steps }: RunRecord): readonly Fact[] {
  return steps.flatMap((run) => {
    if (run.kind !== 'ran' || run.step.request === null) return [];
    return (['refused', 'asks-input', 'no-time', 'rate-limited'] as const).flatMap((because) => {
      const left = run.instances.filter(
        ({ timed }) => timed?.kind === 'not-measured' && timed.because === because,
      );
      if (left.length === 0) return [];
      const names = left.map(({ functionName, key }) => functionName ?? key);
      const text = `${namesInLine(names, MAX_NAMED_FUNCTIONS)}: ${UNTIMED_WORDS[because]}`;
      return [{ name: 'not timed', text }];
    });
  });
}

function formFact({ forms }: RunRecord): Fact | null {
  const { capabilities, execute } = forms;
  if (capabilities.form === null || capabilities.form === 'mcp') return null;
  const text =
    capabilities.form === execute.form
      ? `form ${capabilities.form}`
      : `functions are described in form ${capabilities.form}, /execute speaks form ${execute.form}`;
  return { name: 'form', text };
}
