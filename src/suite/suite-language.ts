import { BUDGETED_OPERATIONS } from '../model/budget.ts';
import { FUNCTION_KINDS, NAMED_ARGUMENTS, TARGET_KINDS } from '../model/suite.ts';
import {
  anyMapping,
  anything,
  either,
  flag,
  integer,
  isNumber,
  isText,
  listOf,
  mapOf,
  oneOf,
  optional,
  placed,
  record,
  required,
  text,
  type ValueOf,
} from './shape.ts';

/**
 * The suite language as one table: the loader reads suites by it, `npm run build` makes schemas/suite.schema.json and
 * docs/suite-language.md from it.
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
  present: optional(placed(text()), 'Assertions only: JSONPath that must find something in the answer.'),
});

const identityKeys = {
  requirement: optional(
    placed(text()),
    'Id of the registry row that this decides. It gives level, section, why and fix.',
  ),
  id: optional(
    placed(id),
    'Your own id, for an assertion that is not about a registry row; reported as suite/id.',
  ),
  level: optional(level, 'MUST, SHOULD or MAY; with `id` only, SHOULD when left out.'),
  why: optional(text(), 'What breaks for callers when the rule is broken.'),
  fix: optional(text(), 'What to do about it.'),
  when: optional(condition, 'Otherwise the assertion is inapplicable.'),
  needs: optional(
    placed(text()),
    'Id of another assertion, on the same answer or in a step that this one needs or uses; unless it holds, this one is blocked.',
  ),
};

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

const header = record('a header assertion', {
  name: required(text(), 'Name of the header, in any case.'),
  is: optional(placed(anything), 'JSON Schema for the value, as text.'),
  absent: optional(flag, 'true: the answer must not carry the header.'),
  ...identityKeys,
});

const body = record('a body assertion', {
  at: required(
    placed(text()),
    'JSONPath (RFC 9535) into the JSON body. One that finds nothing fails unless `absent: true`.',
  ),
  is: optional(placed(anything), 'JSON Schema for the one node that is found.'),
  each: optional(placed(anything), 'JSON Schema for every node; there must be one at least.'),
  any: optional(placed(anything), 'JSON Schema for at least one of the nodes.'),
  none: optional(
    placed(anything),
    'JSON Schema that no node may be valid against; there must be one at least.',
  ),
  count: optional(placed(anything), 'The number of nodes, or a JSON Schema for it.'),
  absent: optional(flag, 'true: nothing may be found.'),
  ...identityKeys,
});

const check = record('a check', {
  check: required(placed(text()), 'Name of a check; `probity explain --checks` lists them.'),
  with: optional(anyMapping, 'Options of the check.'),
  blockedBy: optional(
    mapOf(placed(text()), 'reason'),
    'Where the check cannot judge: by its reason, the requirement that is to blame and blocks this one. For a reason without one it is inconclusive.',
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
    'Take the limits from the settings of this operation, where they can be changed, instead of writing them here.',
  ),
  p50Ms: optional(integer(1, 600_000), 'Most milliseconds for the median; needs a sample of 6.'),
  p90Ms: optional(integer(1, 600_000), 'Most milliseconds for the 90th percentile; needs a sample of 35.'),
  p95Ms: optional(integer(1, 600_000), 'Most milliseconds for the 95th percentile; needs a sample of 72.'),
  p99Ms: optional(integer(1, 600_000), 'Most milliseconds for the 99th percentile; needs a sample of 367.'),
  'p99.9Ms': optional(
    integer(1, 600_000),
    'Most milliseconds for the 99.9th percentile; needs a sample of 3,687.',
  ),
  maxMs: optional(integer(1, 600_000), 'Most milliseconds for the slowest call.'),
  ...identityKeys,
});

const expectation = record('what is expected', {
  status: optional(
    listOf(status, { orOne: true }),
    'The HTTP status. Unless the first of these holds, the body is not judged.',
  ),
  headers: optional(listOf(header), 'Headers of the answer.'),
  body: optional(listOf(body), 'Nodes of the JSON body.'),
  checks: optional(listOf(check), 'Judgement in code, by name.'),
  time: optional(time, 'How long one call may take.'),
});

const headers = mapOf(placed(text()), 'header name');

const anyText = text({ pattern: /^/, words: 'text, also an empty one' });

const rawPart = record('raw bytes', {
  text: optional(placed(anyText), 'Text, sent as UTF-8.'),
  base64: optional(text({ pattern: /^[A-Za-z0-9+/]*={0,2}$/, words: 'base64' }), 'Any bytes.'),
  json: optional(placed(anything), 'A value, written as JSON.'),
  times: optional(integer(1, 10_000_000), 'How often to repeat it.'),
});

const rawBody = listOf(either(isText, placed(anyText), rawPart), { orOne: true, atLeast: 1 });

const request = record('a request', {
  get: optional(placed(path), 'GET this path, below the target’s URL.'),
  query: optional(
    placed(either(isText, text(), anyMapping)),
    'With get: parameters of the query, each a value or a list of values, which is sent as the same name several times; or a reference to such a mapping.',
  ),
  from: optional(
    placed(text()),
    'With get: another base address than the target’s, such as that of a listed server. The headers that the user gave are not sent there.',
  ),
  post: optional(placed(path), 'POST to this path.'),
  websocket: optional(
    placed(pathOrRoot),
    'Ask to change to WebSocket at this path, if the listing in the configuration says that the target speaks it; otherwise the step is inapplicable.',
  ),
  execute: optional(
    placed(text()),
    'Call this function through POST /execute, written in the target’s own wire form.',
  ),
  arguments: optional(
    placed(either(isText, oneOf(NAMED_ARGUMENTS), anyMapping)),
    'With execute: the input itself, or how to make it. sample: a valid input; distinct: one that no other call carries; ' +
      'failing: configured samples marked as failing; omitted: none at all; missing-required, wrong-type: a valid one made wrong.',
  ),
  unlisted: optional(
    flag,
    'With execute: only if /capabilities lists no function of that name; otherwise the step is inapplicable.',
  ),
  requestId: optional(
    placed(text()),
    'With execute, form B: the requestId; "none" leaves it out. One is made when this is not given.',
  ),
  headers: optional(headers, 'Further headers.'),
  body: optional(placed(anything), 'With post: a JSON body.'),
  raw: optional(
    rawBody,
    'With post: bytes that need not be JSON, as text or as parts that follow one another.',
  ),
  anonymous: optional(
    flag,
    'true: send it without the headers that the user gave; inapplicable when there are none.',
  ),
  keepConnection: optional(
    flag,
    'true: send the repetitions of this step over one connection, for as long as the target keeps it open.',
  ),
  scheme: optional(
    text({ pattern: /^[A-Za-z][A-Za-z0-9-]*$/, words: 'the name of an authentication scheme' }),
    'Send the bearer token that the user gave under this scheme in place of Bearer; inapplicable when none was given.',
  ),
  timeoutMs: optional(
    integer(1, 600_000),
    'Wait so long for the answer at least; --timeout may give it more time.',
  ),
  abort: optional(
    record('an abort', {
      afterBytes: required(integer(1, 10_000_000), 'Bytes of the body to send before going away.'),
    }),
    'Go away in the middle of the request.',
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
  functions: optional(
    oneOf(FUNCTION_KINDS),
    'Only functions of this kind, by their descriptors and by what was seen of them. reads: they seem to change nothing; unknown: nothing tells whether they do; harmless: they seem or were seen to change nothing; wavering: harmless ones that answered differently when several calls were made at once.',
  ),
  first: optional(
    integer(1, 1000),
    'At most so many items, from the start of the list; functions that seem to change nothing come before others.',
  ),
});

const save = record('a saved value', {
  at: required(placed(text()), 'JSONPath into the answer’s JSON body.'),
  many: optional(flag, 'true: a list of all nodes found; otherwise the one node.'),
  needs: optional(placed(text()), 'Requirement of this step without which the value cannot be had.'),
});

const retry = record('a retry', {
  attempts: required(integer(2, 10), 'How often to try in all.'),
  waitMs: optional(integer(0, 60_000), 'Wait between two tries.'),
  on: required(
    listOf(either(isNumber, integer(100, 599), oneOf(['unanswered'])), { atLeast: 1 }),
    'Statuses to try again on, and "unanswered" for no answer at all.',
  ),
});

const step = record('a step', {
  id: required(placed(id), 'Names the step within the suite.'),
  title: optional(text(), 'What the step does, for reports and plans.'),
  request: optional(request, 'What to send. Left out in a step that judges what other steps received.'),
  use: optional(
    either(isText, placed(usedStep), mapOf(placed(usedStep))),
    'Steps whose answers are judged here instead of a new request: one step, several by name, or "*" for all others.',
  ),
  needs: optional(
    listOf(placed(stepReference)),
    'Steps that must have been answered as expected; their saved values can be used.',
  ),
  when: optional(condition, 'Otherwise the step’s requirements are inapplicable.'),
  forEach: optional(forEach, 'Run the step once for each item of a saved list.'),
  cases: optional(
    listOf(placed(anyMapping), { atLeast: 1 }),
    'Run the step once for each of these rows, each with an `id`; its values are "${case.…}".',
  ),
  repeat: optional(
    record('a repetition', {
      times: required(integer(2, 1000), 'How often to send the request.'),
      apartMs: optional(integer(0, 60_000), 'Wait between two of them.'),
    }),
    'Send the same request again; other steps need not wait for the repetitions.',
  ),
  parallel: optional(
    integer(2, 100),
    'Send every request of this step so many times, as many at the same moment as may be under way.',
  ),
  alone: optional(flag, 'true: its requests follow one another, as those of abusive and timed steps do.'),
  sample: optional(
    either(isNumber, integer(2, 10_000), oneOf(['default'])),
    'Time so many calls, at a constant rate, after one call that was answered as expected; default: as many as the ' +
      'settings say. It is done after the other steps, alone, and before those that are abusive.',
  ),
  budget: optional(listOf(budget, { orOne: true }), 'Latency that the sample must keep to.'),
  retry: optional(retry, 'Try again on these answers. A 429 with Retry-After is always waited for.'),
  abusive: optional(
    flag,
    'true: it sends what no client should. It runs after the steps that do not, alone; --read-only leaves it out.',
  ),
  finally: optional(flag, 'true: run after all other steps, whatever happened.'),
  burst: optional(
    integer(2, 1000),
    'Send the request so many times at most, as fast as may be, until an answer has status 429; only with --try-rate-limit, otherwise the step is inapplicable.',
  ),
  expect: optional(expectation, 'What is expected of the answer.'),
  save: optional(mapOf(save), 'Values for later steps.'),
  choose: optional(
    mapOf(placed(text())),
    'Values for later steps that code chooses from all first answers of the step, by the name of a picker. Where none fits, what needs it is inconclusive.',
  ),
});

export const suiteShape = record('a suite', {
  suite: required(oneOf(['v1']), 'Version of the suite language.'),
  id: required(placed(id), 'Names the suite; step ids and your own requirements start with it.'),
  title: required(text(), 'What the suite is about.'),
  target: optional(
    oneOf(TARGET_KINDS),
    'What it is about: an MCP server, which is understood where nothing is said, or the platform API of a directory.',
  ),
  defaults: optional(
    record('defaults', {
      headers: optional(headers, 'Headers for every request of the suite.'),
      retry: optional(retry, 'For every step without its own.'),
    }),
    'What holds for all steps unless they say otherwise.',
  ),
  steps: required(
    listOf(step, { atLeast: 1 }),
    'In any order; a step runs as soon as what it needs is there.',
  ),
});

export type RawSuite = ValueOf<typeof suiteShape>;
export type RawStep = ValueOf<typeof step>;
export type RawRequest = ValueOf<typeof request>;
export type RawExpectation = ValueOf<typeof expectation>;
export type RawBudget = ValueOf<typeof budget>;
export type RawIdentity = Pick<
  ValueOf<typeof check>,
  'requirement' | 'id' | 'level' | 'why' | 'fix' | 'when' | 'needs'
>;
export type RawCheck = ValueOf<typeof check>;
export type RawBodyAssertion = ValueOf<typeof body>;
export type RawHeaderAssertion = ValueOf<typeof header>;

/** The parts of the language, for the reference in the docs. */
export const suiteLanguageParts = {
  suite: suiteShape,
  step,
  request,
  expect: expectation,
  'status assertion': status,
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
