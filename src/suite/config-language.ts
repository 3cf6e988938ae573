import { MUTATING_POLICIES } from '../model/report.ts';
import {
  anyMapping,
  either,
  flag,
  integer,
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

export const sample = record('a sample', {
  input: required(anyMapping, 'The input, as an object of named values.'),
  fails: optional(flag, 'true: the function’s handler is expected to fail on it.'),
});

const header = either(
  isText,
  text(),
  record('a header from the environment', {
    env: required(text(), 'Name of the variable that holds the value.'),
  }),
);

const budgetLimit = text({
  pattern: /^\d+(\.\d+)?(ms|s|x)$/,
  words: 'a limit such as 300ms, 2s, or 20x (so many times what /health takes)',
});
const limitOf = (what: string) => optional(placed(budgetLimit), `Limit of ${what}.`);

const budget = record('the budgets of an operation', {
  p50: limitOf('the median'),
  p90: limitOf('the 90th percentile'),
  p95: limitOf('the 95th percentile'),
  p99: limitOf('the 99th percentile'),
  'p99.9': limitOf('the 99.9th percentile'),
  max: limitOf('the slowest call'),
});

const latency = record('what is timed', {
  off: optional(flag, 'true: nothing is timed, and nothing is decided by it.'),
  samples: optional(
    integer(6, 10_000),
    'Timed calls of /health and of /capabilities, and in proportion of the functions; 75 when left out.',
  ),
});

const mutating = record('a policy for functions that change something', {
  default: optional(
    oneOf(MUTATING_POLICIES),
    'For functions that look as if they change something: once (the default), allow or never.',
  ),
  allow: optional(listOf(text()), 'Functions to call as often as any other; names and globs.'),
  once: optional(
    listOf(text()),
    'Functions to call at most ten times in a run, never timed and never several times at once; names and globs.',
  ),
  never: optional(listOf(text()), 'Functions that must not be called at all; names and globs.'),
});

const listing = record('a listing', {
  transport: optional(
    listOf(oneOf(['http', 'websocket']), { atLeast: 1 }),
    'What the target speaks. WebSocket is tried only when it is named here.',
  ),
  responseTime: optional(
    integer(0, 600_000),
    'The response time that the directory shows, in milliseconds: the measured median is held to it.',
  ),
});

/** The configuration, probity.config.yaml. */
export const configShape = record('a configuration', {
  config: required(oneOf(['v1']), 'Version of the configuration.'),
  form: optional(oneOf(['auto', 'A', 'B']), 'The wire form, if it must not be detected.'),
  headers: optional(
    mapOf(header, 'header name'),
    'Sent with every request; `env` keeps a secret out of the file.',
  ),
  bearerEnv: optional(text(), 'Name of the environment variable that holds a bearer token.'),
  samples: optional(
    mapOf(listOf(sample, { orOne: true, atLeast: 1 }), 'function name'),
    'Inputs for functions.',
  ),
  suites: optional(listOf(placed(text()), { atLeast: 1 }), 'Your own suites, relative to this file.'),
  baseline: optional(
    text(),
    'Findings that are accepted for now, a file that `probity baseline` writes; relative to this file.',
  ),
  only: optional(listOf(text()), 'Requirements to decide; globs.'),
  skip: optional(listOf(text()), 'Requirements to leave out; globs.'),
  failOn: optional(oneOf(['must', 'should']), 'Level from which a failed requirement fails the run.'),
  readOnly: optional(flag, 'true: nothing but GET /health and GET /capabilities.'),
  maxFunctions: optional(integer(1, 10_000), 'Most functions to call.'),
  concurrency: optional(integer(1, 64), 'Most requests under way at the same time.'),
  requestsPerSecond: optional(integer(1, 10_000), 'Most requests that are started within a second.'),
  mutating: optional(mutating, 'How functions are called that change something.'),
  latency: optional(latency, 'What is timed.'),
  budgets: optional(
    mapOf(budget, 'health, capabilities, execute, or execute:NAME'),
    'What timed calls must keep to; what is left open here keeps its default.',
  ),
  listing: optional(
    either(isText, text(), listing),
    'What the directory says of the target; or a listing file, relative to this file, whose requirements are decided too.',
  ),
  deadlineSeconds: optional(integer(1, 86_400), 'For the whole run.'),
  timeoutSeconds: optional(integer(1, 3600), 'For one request.'),
  waitSeconds: optional(
    integer(1, 86_400),
    'How long to wait, before a check, until GET /health is answered with a status of 2xx.',
  ),
});

export type RawConfig = ValueOf<typeof configShape>;

/** The parts of the configuration, for the reference in the docs. */
export const configLanguageParts = {
  configuration: configShape,
  sample,
  mutating,
  latency,
  budget,
  listing,
} as const;
