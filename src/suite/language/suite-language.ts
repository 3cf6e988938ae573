// The suite around its requests and assertions: loops, saved values, steps, and all parts for docs/suite-language.md.
import { EXPERIMENT_NAMES, EXPERIMENT_WORDS } from '../../model/generated/experiments.ts';
import { PHASES, TARGET_KINDS } from '../../model/suite.ts';
import { mapOf, optional, record, required } from '../yaml/mapping.ts';
import { id, stepReference, usedStep, variable } from '../yaml/names.ts';
import {
  anyMapping,
  anything,
  either,
  flag,
  integer,
  listOf,
  oneOf,
  placed,
  text,
  type ValueOf,
} from '../yaml/shape.ts';
import { assertionParts, condition, expectation } from './assertion-language.ts';
import { perWire } from './per-wire.ts';
import { headers, rawPart, request, retry } from './request-language.ts';

const forEach = record('a loop', {
  in: required(placed(text()), 'Reference to a saved list, such as "${functions}".'),
  as: required(variable, 'Name of the item inside the step.'),
  key: required(placed(text()), 'Text that names an item in reports, such as "${fn.name}".'),
  where: optional(placed(anything), 'JSON Schema; only items that are valid against it.'),
  succeeded: optional(
    placed(stepReference),
    'Only items for which that step, looping over the same items, got the status it expects.',
  ),
  first: optional(
    integer(1, 1000),
    'Maximum number of items, from the start of the list; functions that seem to change nothing come first.',
  ),
});

const repeat = record('a repetition', {
  times: required(integer(2, 1000), 'How many times to send the request.'),
  apartMs: optional(integer(0, 60_000), 'Wait between two requests.'),
  soonerMs: optional(
    placed(integer(1, 60_000)),
    'Send it once more already after this time; the wait ends there if every check that compares the answers passes. Not where timed calls fill the wait.',
  ),
  atOnce: optional(
    flag,
    'true: all at the same moment, up to the limit of --concurrency, and not one after the other.',
  ),
});

const save = record('a saved value', {
  at: optional(placed(text()), 'JSONPath into the JSON body, or into the message that answers.'),
  pick: optional(
    placed(text()),
    'Instead of `at`: the picker that chooses the value from the first answers of this step. If none fits, what needs it is undecided.',
  ),
  many: optional(flag, 'With at: true: a list of all nodes found; otherwise the one node.'),
  needs: optional(
    perWire,
    'With at: requirement of this step that must pass, or one per wire; otherwise the value is not available.',
  ),
  blockedBy: optional(
    mapOf(text(), 'reason'),
    'Of the list of functions: where their form is unknown, the requirement that is to blame by the reason: no-answer, no-object, no-list, no-function or no-form.',
  ),
});

const step = record('a step', {
  id: required(placed(id), 'Names the step within the suite.'),
  title: optional(text(), 'What the step does, for reports and plans.'),
  request: optional(request, 'What to send. Omit it in a step that judges the answers of other steps.'),
  use: optional(
    either(placed(usedStep), mapOf(placed(usedStep))),
    'Steps whose answers are judged instead of a new request: one step, several by name, or "*" for all others.',
  ),
  needs: optional(
    listOf(placed(stepReference)),
    'Steps that must have been answered as expected; their saved values can be used.',
  ),
  when: optional(condition, 'Otherwise the step’s requirements are inapplicable.'),
  forEach: optional(forEach, 'Run the step once for each item of a saved list.'),
  cases: optional(
    listOf(placed(anyMapping), { atLeast: 1 }),
    'Run the step once for each of these rows. Each has an `id`; its values are "${case.…}".',
  ),
  repeat: optional(repeat, 'Send the same request again. Other steps do not wait for the repetitions.'),
  experiment: optional(
    either(
      placed(oneOf(EXPERIMENT_NAMES)),
      placed(
        record('an experiment', {
          'timed-calls': optional(integer(2, 10_000), 'How many calls are timed.'),
          burst: optional(integer(2, 1000), 'How many requests are sent at most.'),
        }),
      ),
    ),
    `Code that makes the calls of this step, and compares them: ${EXPERIMENT_NAMES.map((name) => `${name}: ${EXPERIMENT_WORDS[name]}.`).join(' ')}`,
  ),
  phase: optional(
    oneOf(PHASES),
    'negative: the step sends invalid or harmful requests, alone, after the ordinary steps; --read-only leaves it out. finally: it runs after these, whatever happened; if its answer fails, no generated inputs are sent. last: also after functions were called with generated inputs; if it is selected, all other steps run too.',
  ),
  expect: optional(expectation, 'What is expected of the answer.'),
  save: optional(mapOf(save), 'Values for later steps.'),
});

export const suiteShape = record('a suite', {
  suite: required(oneOf(['v1']), 'Version of the suite language.'),
  id: required(placed(id), 'Names the suite; step ids and your own requirements start with it.'),
  title: required(text(), 'What the suite is about.'),
  target: optional(
    oneOf(TARGET_KINDS),
    'What the suite checks: an MCP server (default), the platform API of a directory, or the messages of a server of the Model Context Protocol (with --mcp).',
  ),
  defaults: optional(
    record('defaults', {
      headers: optional(headers, 'Headers for every request of the suite.'),
      retry: optional(retry, 'For every request without its own.'),
    }),
    'Defaults for all steps.',
  ),
  steps: required(
    listOf(step, { atLeast: 1 }),
    'In any order; a step runs as soon as the steps that it needs are done.',
  ),
});

export type RawSuite = ValueOf<typeof suiteShape>;
export type RawStep = ValueOf<typeof step>;

/** The parts of the language, for the reference in the docs. */
export const suiteLanguageParts = {
  suite: suiteShape,
  step,
  request,
  expect: expectation,
  ...assertionParts,
  'raw bytes': rawPart,
  forEach,
  repeat,
  save,
  retry,
  when: condition,
} as const;
