// What a suite expects of an answer, and on which condition.
import { BUDGETED_OPERATIONS } from '../../model/budget.ts';
import { EXPECTED_OUTCOMES } from '../../model/suite.ts';
import { mapOf, optional, type Places, record, required } from '../yaml/mapping.ts';
import { id, level, revision } from '../yaml/names.ts';
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
import { perWire } from './per-wire.ts';

export const condition = record('a condition', {
  form: optional(oneOf(['A', 'B']), 'Only for targets of this wire form.'),
  channel: optional(
    oneOf(['http', 'stdio']),
    'Only for servers that are reached so: over HTTP, or over the standard streams of a process.',
  ),
  address: optional(oneOf(['loopback']), 'Only for servers on this machine, over HTTP.'),
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
    'Only for servers of the Model Context Protocol that offer this capability, such as tools, or this part of one, such as resources.subscribe.',
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

const schema = placed(anything);
const statusPattern = either(integer(100, 599), oneOf(['1xx', '2xx', '3xx', '4xx', '5xx']));
const statuses = listOf(statusPattern, { orOne: true, atLeast: 1 });

/** Of an assertion whose place in the answer says little to a reader. */
const MESSAGE = 'What a report says when it fails, instead of naming the place.';

const status = record('a status assertion', {
  is: optional(statuses, 'The status, or a class such as 4xx, or a list of them.'),
  not: optional(statuses, 'A status, class or list that the answer must not have.'),
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
  is: optional(schema, 'JSON Schema for the value, as text.'),
  absent: optional(flag, 'true: the answer must not have the header.'),
  message: optional(text(), MESSAGE),
  ...identityKeys,
});

const body = record('a body assertion', {
  at: required(
    placed(text()),
    'JSONPath (RFC 9535) into the JSON body, or into the message that answers. It fails if it finds nothing, unless `absent: true`.',
  ),
  is: optional(schema, 'JSON Schema for the node; exactly one must be found.'),
  each: optional(schema, 'JSON Schema for every node; at least one must be found.'),
  any: optional(schema, 'JSON Schema for at least one of the nodes.'),
  none: optional(schema, 'JSON Schema that no node may match; at least one must be found.'),
  count: optional(schema, 'The number of nodes, or a JSON Schema for it.'),
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

const limitOf = (what: string) => optional(integer(1, 600_000), `Maximum milliseconds of ${what}.`);

const budget = record('a latency budget', {
  of: optional(
    oneOf(BUDGETED_OPERATIONS),
    'Use the configured limits of this operation instead of limits in the suite.',
  ),
  p50Ms: limitOf('the median; needs 6 samples'),
  p90Ms: limitOf('the 90th percentile; needs 35 samples'),
  p95Ms: limitOf('the 95th percentile; needs 72 samples'),
  p99Ms: limitOf('the 99th percentile; needs 367 samples'),
  'p99.9Ms': limitOf('the 99.9th percentile; needs 3,687 samples'),
  maxMs: limitOf('the slowest call'),
  ...identityKeys,
});

export const expectation = record('what is expected', {
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

/** Each kind of assertion, for the reference in the docs. */
export const assertionParts = {
  'status assertion': status,
  'outcome assertion': outcome,
  'header assertion': header,
  'body assertion': body,
  check,
  time,
  budget,
} as const;

export type RawExpectation = ValueOf<typeof expectation>;
export type RawBodyAssertion = ValueOf<typeof body>;
export type RawBudget = ValueOf<typeof budget>;
export type RawCheck = ValueOf<typeof check>;
/** What assertions of every kind have; only checks have `blockedBy`. */
export type RawIdentity = Pick<RawCheck, keyof typeof identityKeys | 'blockedBy' | keyof Places>;
