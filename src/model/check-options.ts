import { listOf, mapOf, oneOf, positive, text, wholeFrom } from './arguments.ts';
import { choice, choices, count, coverage, duration, file, line, lines, names, toggle } from './option.ts';
import { PROFILE_IDS } from './profile.ts';
import { TRANSPORTS } from './target.ts';
import { TOKEN_OPTIONS } from './token-options.ts';

// What users set for a check: the options of the library that have a flag or a key of the configuration, in the order
// of the settings in a report. A new option is one more entry: the type of the library, its validation, the flag of
// `check`, `watch` and `plan` with its help, completion and manual page, the key of the configuration with its schema,
// the docs and, if it is `stored`, the settings of a run have it then. Options that only code can give are in
// src/check/check-options.ts.

/** How often a function may be called: without limit, a few times and never timed, or never. */
const MUTATING_POLICIES = ['allow', 'once', 'never'] as const;
export type MutatingPolicy = (typeof MUTATING_POLICIES)[number];

/** What is timed, and its limits. */
export const LATENCY_OPTIONS = {
  /** Turns timing off; latency requirements are not decided. */
  off: toggle({
    flag: '--no-latency',
    key: 'off',
    group: 'Response times',
    doc: 'do not measure response times',
  }),
  /** Timed calls of /health and of /capabilities each, and of the functions in proportion. */
  samples: count(
    [6, 10_000],
    {
      flag: '--samples <number>',
      key: 'samples',
      group: 'Response times',
      shown: '75',
      doc: 'timed calls of health and capabilities each (of ping and tools/list for an MCP server), and of functions in proportion',
    },
    wholeFrom(1),
  ),
  /** In the syntax of the command line, such as `health.p95=300ms`; a later one replaces an earlier one. */
  budgets: lines(
    {
      flag: '--budget <limit>',
      group: 'Response times',
      doc: 'OPERATION.PERCENTILE=LIMIT for timed calls: health.p95=300ms, execute:add.p50=20x',
    },
    listOf(text),
  ),
};

/** How to call functions that change something, or look as if they do; names and globs. */
export const MUTATING_OPTIONS = {
  /** For functions that look as if they change something. */
  default: choice(MUTATING_POLICIES, {
    flag: '--mutating <policy>',
    key: 'default',
    group: 'Selection',
    default: 'once',
    doc: 'functions that change something, or look as if they do: up to 10 calls of each, none timed (once), calls like any other (allow), or none (never)',
  }),
  allow: names({ key: 'allow', doc: 'functions to call like any other: names and globs' }),
  once: names({
    key: 'once',
    doc: 'functions to call up to ten times in a run, never timed and never several times at once: names and globs',
  }),
  never: names({ key: 'never', doc: 'functions that must not be called at all: names and globs' }),
};

export const CHECK_SETTINGS = {
  /** Wire form; `auto` detects it for each operation. */
  form: choice(['auto', 'A', 'B'], {
    flag: '--form <form>',
    key: 'form',
    group: 'Target',
    default: 'auto',
    stored: true,
    doc: 'wire form',
  }),
  /** Makes generated values repeatable; random by default. */
  seed: count([0, 2 ** 31], {
    flag: '--seed <number>',
    group: 'Selection',
    stored: true,
    doc: 'repeat the generated values of an earlier run',
  }),
  /** Requirement ids and globs to decide; all when empty. */
  only: names({
    flag: '--only <ids>',
    key: 'only',
    group: 'Selection',
    default: [],
    stored: true,
    doc: 'requirements to decide: ids and globs',
  }),
  skip: names({
    flag: '--skip <ids>',
    key: 'skip',
    group: 'Selection',
    default: [],
    stored: true,
    doc: 'requirements to leave out: ids and globs',
  }),
  readOnly: toggle({
    flag: '--read-only',
    key: 'readOnly',
    group: 'Selection',
    default: false,
    stored: true,
    doc: 'send only GET requests; to an MCP server, no calls of tools',
  }),
  /** Connects only to public addresses: for services that check addresses from other people. */
  publicOnly: toggle({
    flag: '--public-only',
    group: 'Access',
    default: false,
    stored: true,
    doc: 'connect only to public addresses',
  }),
  /** Level from which a failed requirement fails the run. */
  failOn: choice(['must', 'should'], {
    flag: '--fail-on <level>',
    key: 'failOn',
    group: 'Gate',
    default: 'must',
    stored: true,
    doc: 'level from which a failed requirement fails the run',
  }),
  /** Sends nothing more after the first answer that breaks a MUST, but what deletes what the calls created. */
  bail: toggle({
    flag: '--bail',
    group: 'Gate',
    stored: true,
    doc: 'send nothing more after the first answer that breaks a MUST',
  }),
  /** How many functions must be exercised for a pass; by default half of those that may be called. */
  minCoverage: coverage({
    flag: '--min-coverage <share>',
    key: 'minCoverage',
    group: 'Gate',
    shown: '50%',
    stored: true,
    doc: 'how many functions must be exercised for a pass: a number, N%, or all',
  }),
  /** Clients and providers (suites/portability) whose rules the definitions of the functions must keep. */
  portable: choices(PROFILE_IDS, {
    flag: '--portable <profiles>',
    key: 'portable',
    group: 'Gate',
    stored: true,
    doc: 'clients and providers that must accept the definitions of the functions, such as openai-strict',
  }),
  /** Limit of the estimated tokens of all definitions together. */
  maxDefinitionTokens: count([1, 10_000_000], {
    flag: '--max-definition-tokens <number>',
    key: 'maxDefinitionTokens',
    group: 'Gate',
    stored: true,
    doc: 'limit of the tokens, estimated, of the definitions of all functions together',
  }),
  /** Maximum number of functions to call, spread evenly. */
  maxFunctions: count([1, 10_000], {
    flag: '--max-functions <number>',
    key: 'maxFunctions',
    group: 'Selection',
    default: 50,
    stored: 'maxItems',
    doc: 'maximum number of functions to call, spread evenly',
  }),
  /** Maximum number of requests in flight. */
  concurrency: count([1, 64], {
    flag: '--concurrency <number>',
    key: 'concurrency',
    group: 'Limits',
    default: 4,
    stored: true,
    doc: 'maximum number of requests in flight',
  }),
  /** Maximum number of requests started within any second. */
  requestsPerSecond: count(
    [1, 10_000],
    {
      flag: '--max-rate <number>',
      key: 'requestsPerSecond',
      group: 'Limits',
      default: 50,
      stored: true,
      doc: 'maximum number of requests started within a second',
    },
    positive,
  ),
  /** The transports in the target's listing; WebSocket is tried only if it is listed. */
  transports: names(
    { default: [], stored: true, doc: 'transports in the listing of the target' },
    listOf(oneOf(...TRANSPORTS)),
  ),
  deadlineMs: duration({
    flag: '--deadline <seconds>',
    key: 'deadlineSeconds',
    group: 'Limits',
    default: 60_000,
    stored: true,
    doc: 'time limit of the whole run',
  }),
  requestTimeoutMs: duration({
    flag: '--timeout <seconds>',
    key: 'timeoutSeconds',
    group: 'Limits',
    default: 10_000,
    stored: true,
    doc: 'time limit of one request',
  }),
  /** Sent with every request. Their values are secrets and are never stored. */
  headers: lines(
    {
      flag: '--header <line>',
      group: 'Access',
      doc: '"Name: value", sent with every request and never stored',
    },
    mapOf(text),
  ),
  /** Name of the environment variable of the token, for the commands that repeat a finding. */
  bearerEnv: line({
    flag: '--bearer-env <name>',
    key: 'bearerEnv',
    group: 'Access',
    doc: 'environment variable with a bearer token',
  }),
  ...TOKEN_OPTIONS,
  ca: file({
    flag: '--ca <file>',
    group: 'Access',
    doc: 'PEM file of certificate authorities to trust instead of the default ones',
  }),
};
