import { BUDGETED_OPERATIONS } from '../../model/budget.ts';
import { EXPERIMENT_NAMES, EXPERIMENT_WORDS } from '../../model/generated/experiments.ts';
import { EXPECTED_OUTCOMES, NAMED_ARGUMENTS, PHASES, TARGET_KINDS } from '../../model/suite.ts';
import { mapOf, optional, record, required } from '../mapping.ts';
import { revision } from '../registry.ts';
import {
  anyMapping,
  anything,
  either,
  flag,
  integer,
  isNothing,
  isNumber,
  isText,
  listOf,
  nothing,
  oneOf,
  onlyTrue,
  placed,
  text,
  type ValueOf,
} from '../shape.ts';
import { perWire } from './per-wire.ts';

/**
 * The suite language as one table. The loader reads suites with it; `npm run build` generates
 * schemas/suite.schema.json and docs/suite-language.md from it.
 */

const NAME = /^[a-z][a-z0-9-]*$/;
const WORD = /^[a-z][A-Za-z0-9]*$/;
const STEP_REFERENCE = /^([a-z][a-z0-9-]*\/)?[a-z][a-z0-9-]*$/;

const id = text({ pattern: NAME, words: 'an id of lower-case letters, digits and hyphens' });
const variable = text({
  pattern: WORD,
  words: 'a name of letters and digits that starts with a lower-case letter',
});
const stepReference = text({
  pattern: STEP_REFERENCE,
  words: 'a step id such as "read" or "capabilities/read"',
});
/** Stands for all other steps under `use`. */
export const EVERY_STEP = '*';

const usedStep = text({
  pattern: /^(\*|([a-z][a-z0-9-]*\/)?[a-z][a-z0-9-]*)$/,
  words: 'a step id such as "read" or "capabilities/read", or "*" for all other steps',
});
const path = text({ pattern: /^\//, words: 'a path that starts with "/"' });
const pathOrRoot = text({ pattern: /^(\/.*)?$/s, words: 'a path that starts with "/", or nothing' });
const level = oneOf(['MUST', 'SHOULD', 'MAY']);
const statusPattern = either(isNumber, integer(100, 599), oneOf(['1xx', '2xx', '3xx', '4xx', '5xx']));

const condition = record('a condition', {
  form: optional(oneOf(['A', 'B']), 'Only for targets of this wire form.'),
  channel: optional(
    oneOf(['http', 'stdio']),
    'Only for servers that are reached so: over HTTP, or over the standard streams of a process.',
  ),
  era: optional(
    oneOf(['session', 'stateless']),
    'Only for servers of the Model Context Protocol that open sessions (up to 2025-11-25), or that do not.',
  ),
  since: optional(
    placed(revision),
    'Only from this revision of the Model Context Protocol on. Of an assertion, the default is that of its requirement.',
  ),
  until: optional(placed(revision), 'Only up to this revision, which is included.'),
  capability: optional(
    text(),
    'Only for servers of the Model Context Protocol that offer this capability, such as tools.',
  ),
  present: optional(placed(text()), 'Assertions only: JSONPath that must match something in the answer.'),
  otherwise: optional(
    placed(text()),
    'With `present`: what a report says of an answer in which nothing matches.',
  ),
});

const identityKeys = {
  requirement: optional(
    perWire,
    'Id of the requirement that this decides, or one per wire. Level, section, why and fix come from the registry.',
  ),
  id: optional(placed(id), 'Your own id, for an assertion without a requirement; reported as suite/id.'),
  level: optional(level, 'MUST, SHOULD or MAY; only with `id`; default: SHOULD.'),
  why: optional(text(), 'What breaks for callers when the rule is broken.'),
  fix: optional(text(), 'How to fix it.'),
  when: optional(condition, 'Otherwise the assertion is inapplicable.'),
  needs: optional(
    perWire,
    'Id of another assertion, or one per wire: on the same answer or in a step that this step needs or uses; if that one does not pass, this one is blocked.',
  ),
};

/** Of an assertion whose place in the answer says little to a reader. */
const MESSAGE = 'What a report says when it fails, instead of naming the place.';

const status = record('a status assertion', {
  is: optional(
    listOf(statusPattern, { orOne: true, atLeast: 1 }),
    'The status, or a class such as 4xx, or a list of them.',
  ),
  not: optional(
    listOf(statusPattern, { orOne: true, atLeast: 1 }),
    'A status, class or list that the answer must not have.',
  ),
  ...identityKeys,
});

const outcome = record('an outcome assertion', {
  is: required(
    oneOf(EXPECTED_OUTCOMES),
    'result: a result that is no failure; refused: an error, or the result of a tool that failed; answered: either of them.',
  ),
  ...identityKeys,
});

const header = record('a header assertion', {
  name: required(text(), 'Name of the header, in any case.'),
  is: optional(placed(anything), 'JSON Schema for the value, as text.'),
  absent: optional(flag, 'true: the answer must not have the header.'),
  message: optional(text(), MESSAGE),
  ...identityKeys,
});

const body = record('a body assertion', {
  at: required(
    placed(text()),
    'JSONPath (RFC 9535) into the JSON body, or into the message that answers. It fails if it finds nothing, unless `absent: true`.',
  ),
  is: optional(placed(anything), 'JSON Schema for the node; exactly one must be found.'),
  each: optional(placed(anything), 'JSON Schema for every node; at least one must be found.'),
  any: optional(placed(anything), 'JSON Schema for at least one of the nodes.'),
  none: optional(placed(anything), 'JSON Schema that no node may match; at least one must be found.'),
  count: optional(placed(anything), 'The number of nodes, or a JSON Schema for it.'),
  absent: optional(flag, 'true: nothing may be found.'),
  message: optional(text(), MESSAGE),
  ...identityKeys,
});

const check = record('a check', {
  check: required(placed(text()), 'Name of a check; `probity explain --checks` lists them.'),
  with: optional(anyMapping, 'Options of the check.'),
  blockedBy: optional(
    mapOf(perWire, 'reason'),
    'Where the check cannot judge: by its reason, the requirement that is to blame and blocks this one, or one per wire. For a reason without one it is undecided.',
  ),
  ...identityKeys,
});

const time = record('a time assertion', {
  maxMs: required(
    integer(1, 600_000),
    'Longest time in milliseconds from the start of the request to the last byte.',
  ),
  ...identityKeys,
});

const budget = record('a latency budget', {
  of: optional(
    oneOf(BUDGETED_OPERATIONS),
    'Use the configured limits of this operation instead of limits in the suite.',
  ),
  p50Ms: optional(integer(1, 600_000), 'Maximum milliseconds of the median; needs 6 samples.'),
  p90Ms: optional(integer(1, 600_000), 'Maximum milliseconds of the 90th percentile; needs 35 samples.'),
  p95Ms: optional(integer(1, 600_000), 'Maximum milliseconds of the 95th percentile; needs 72 samples.'),
  p99Ms: optional(integer(1, 600_000), 'Maximum milliseconds of the 99th percentile; needs 367 samples.'),
  'p99.9Ms': optional(
    integer(1, 600_000),
    'Maximum milliseconds of the 99.9th percentile; needs 3,687 samples.',
  ),
  maxMs: optional(integer(1, 600_000), 'Maximum milliseconds of the slowest call.'),
  ...identityKeys,
});

const expectation = record('what is expected', {
  status: optional(
    listOf(status, { orOne: true }),
    'The HTTP status. If the first of these fails, the body is not judged.',
  ),
  outcome: optional(listOf(outcome, { orOne: true }), 'What the answer means, whatever the target speaks.'),
  headers: optional(listOf(header), 'Headers of the answer.'),
  body: optional(listOf(body), 'Nodes of the JSON body, or of the message that answers.'),
  checks: optional(listOf(check), 'Judgement in code, by name.'),
  time: optional(time, 'How long one call may take.'),
  budget: optional(listOf(budget, { orOne: true }), 'Latency limits of timed calls.'),
});

const headers = mapOf(placed(either(isNothing, nothing, text())), 'header name');

const anyText = text({ pattern: /^/, words: 'text, also an empty one' });

const rawPart = record('raw bytes', {
  text: optional(placed(anyText), 'Text, sent as UTF-8.'),
  base64: optional(text({ pattern: /^[A-Za-z0-9+/]*={0,2}$/, words: 'base64' }), 'Any bytes.'),
  json: optional(placed(anything), 'A value, written as JSON.'),
  times: optional(integer(1, 10_000_000), 'How many times to repeat it.'),
});

const rawBody = listOf(either(isText, placed(anyText), rawPart), { orOne: true, atLeast: 1 });

const retry = record('a retry', {
  attempts: required(integer(2, 10), 'How many times to try in total.'),
  waitMs: optional(integer(0, 60_000), 'Wait between two attempts.'),
  on: required(
    listOf(either(isNumber, integer(100, 599), oneOf(['unanswered'])), { atLeast: 1 }),
    'Statuses on which to retry, and "unanswered" for no answer.',
  ),
});

const request = record('a request', {
  get: optional(placed(path), 'GET this path, below the target’s URL.'),
  query: optional(
    placed(either(isText, text(), anyMapping)),
    'With get: query parameters, or a reference to a mapping of them. A list of values repeats its name.',
  ),
  from: optional(
    placed(text()),
    'With get: a base address other than the target’s, such as that of a listed server. The user’s headers are not sent there.',
  ),
  post: optional(placed(path), 'POST to this path.'),
  websocket: optional(
    placed(pathOrRoot),
    'Request an upgrade to WebSocket at this path. Inapplicable if the configuration does not list this transport.',
  ),
  execute: optional(
    placed(text()),
    'Call this function: POST /execute in the target’s wire form, or tools/call.',
  ),
  arguments: optional(
    placed(either(isText, oneOf(NAMED_ARGUMENTS), anyMapping)),
    'With execute: the input itself, or how to generate it. sample: a valid input; distinct: one that no other call uses; ' +
      'failing: configured samples marked as failing; omitted: no input; missing-required, wrong-type: an invalid variant of a valid one.',
  ),
  unlisted: optional(flag, 'With execute: inapplicable if a listed function has that name.'),
  requestId: optional(
    placed(text()),
    'With execute, form B: the requestId; "none" omits it; default: a generated one.',
  ),
  list: optional(oneOf(['functions']), 'List the functions: GET /capabilities, or every page of tools/list.'),
  alive: optional(onlyTrue, 'true: ask whether the target answers: GET /health, ping, or server/discover.'),
  open: optional(
    id,
    'Start the conversation of this name: a process, or a session over HTTP; and find out its era and revision.',
  ),
  version: optional(
    revision,
    'With open: ask for this revision only, once, in its era; for one that does not exist, in that of the first conversation.',
  ),
  message: optional(
    placed(anyMapping),
    'Send this message of the Model Context Protocol. What every message has, such as jsonrpc and id, is added unless it is given; one with a method notifications/… gets no id, and no answer is awaited.',
  ),
  raw: optional(
    rawBody,
    'Bytes that need not be a message, as text or as parts that follow one another. With post: a body that need not be JSON.',
  ),
  http: optional(
    oneOf(['GET', 'DELETE']),
    'Send a request without a message to the endpoint. Inapplicable if the server is not reached over HTTP.',
  ),
  close: optional(
    id,
    'End the conversation of this name: close the standard input of the process, or end the session.',
  ),
  conversation: optional(
    id,
    'With message, raw and http: the name of the conversation that it belongs to; default: main.',
  ),
  headers: optional(headers, 'Additional headers; null: a header that is not sent, although others have it.'),
  body: optional(placed(anything), 'With post: a JSON body.'),
  anonymous: optional(flag, 'true: send it without the user’s headers; inapplicable if there are none.'),
  keepConnection: optional(
    flag,
    'true: send the repetitions of this step over one connection, while the target keeps it open.',
  ),
  scheme: optional(
    text({ pattern: /^[A-Za-z][A-Za-z0-9-]*$/, words: 'the name of an authentication scheme' }),
    'Send the user’s bearer token under this scheme instead of Bearer; inapplicable without a token.',
  ),
  timeoutMs: optional(integer(1, 600_000), 'Minimum time to wait for the answer; --timeout can extend it.'),
  retry: optional(
    retry,
    'Retry on these answers. After a 429 with Retry-After, the run always waits and retries.',
  ),
  abort: optional(
    record('an abort', {
      afterBytes: required(integer(1, 10_000_000), 'Bytes of the body to send before the abort.'),
    }),
    'Close the connection in the middle of the request.',
  ),
});

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
    either(isText, placed(usedStep), mapOf(placed(usedStep))),
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
  repeat: optional(
    record('a repetition', {
      times: required(integer(2, 1000), 'How many times to send the request.'),
      apartMs: optional(integer(0, 60_000), 'Wait between two requests.'),
      atOnce: optional(
        flag,
        'true: all at the same moment, up to the limit of --concurrency, and not one after the other.',
      ),
    }),
    'Send the same request again. Other steps do not wait for the repetitions.',
  ),
  experiment: optional(
    either(
      isText,
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
    'negative: the step sends invalid or harmful requests, alone, after the ordinary steps; --read-only leaves it out. finally: it runs after these, whatever happened. last: also after functions were called with generated inputs; if it is selected, all other steps run too.',
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
export type RawRequest = ValueOf<typeof request>;
export type RawExpectation = ValueOf<typeof expectation>;
export type RawBudget = ValueOf<typeof budget>;
export type RawCheck = ValueOf<typeof check>;
/** What assertions of every kind have; only checks have `blockedBy`. */
export type RawIdentity = Pick<RawCheck, keyof typeof identityKeys | 'blockedBy' | 'place' | 'keyPlaces'>;
export type RawBodyAssertion = ValueOf<typeof body>;
export type RawHeaderAssertion = ValueOf<typeof header>;

/** The parts of the language, for the reference in the docs. */
export const suiteLanguageParts = {
  suite: suiteShape,
  step,
  request,
  expect: expectation,
  'status assertion': status,
  'outcome assertion': outcome,
  'header assertion': header,
  'body assertion': body,
  check,
  time,
  budget,
  'raw bytes': rawPart,
  forEach,
  save,
  retry,
  when: condition,
} as const;
