import { CHECK_SETTINGS, LATENCY_OPTIONS, MUTATING_OPTIONS } from '../../model/check-options.ts';
import { SHARE_OF_FUNCTIONS } from '../../model/judgement.ts';
import { docOf, type Option, type Options, type WrittenValue } from '../../model/option.ts';
import { type Key, mapOf, optional, record, required } from '../yaml/mapping.ts';
import {
  anyMapping,
  either,
  flag,
  integer,
  listOf,
  oneOf,
  placed,
  type Shape,
  text,
  type ValueOf,
} from '../yaml/shape.ts';
import { COMMAND_SETTINGS } from './command-settings.ts';

const DAY_SECONDS = 86_400;

export const sample = record('a sample', {
  input: required(anyMapping, 'The input, as an object of named values.'),
  fails: optional(flag, 'true: the function is expected to fail on this input.'),
});

const producer = record('a producer', {
  from: required(text(), 'Name of the function whose result has the value.'),
  at: required(placed(text()), 'JSONPath of the value in its result.'),
});

const answers = record('answers of the client', {
  elicitation: optional(
    anyMapping,
    'Values of the fields of forms, by name. A form is accepted if all fields that it requires are here, and declined otherwise.',
  ),
  sampling: optional(
    text(),
    'The text that every request for a model is answered with; without it, these are refused.',
  ),
  roots: optional(
    listOf(text({ pattern: /^file:\/\//, words: 'an address such as file:///srv/data' })),
    'The roots of the client; without them, the list is empty.',
  ),
});

const header = either(
  text(),
  record('a header from the environment', {
    env: required(text(), 'Name of the variable that holds the value.'),
  }),
);

const budgetLimit = text({
  pattern: /^\d+(\.\d+)?(ms|s|x)$/,
  words: 'a limit such as 300ms, 2s, or 20x (a multiple of the latency of /health)',
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

const latency = record('what is timed', optionKeys(LATENCY_OPTIONS));

const mutating = record('a policy for functions that change something', optionKeys(MUTATING_OPTIONS));

const listing = record('a listing', {
  transport: optional(
    listOf(oneOf(['http', 'websocket']), { atLeast: 1 }),
    'Transports of the target. WebSocket is tried only when it is listed here.',
  ),
  responseTime: optional(
    integer(0, 600_000),
    'The response time that the directory shows, in milliseconds; the measured median must not exceed it.',
  ),
});

const sourcePlace = placed(
  text({
    pattern: /^[^:\s][^:]*(?::[1-9]\d*)?$/,
    words: 'a file such as src/health.ts, or src/health.ts:12',
  }),
);

const sources = record('places in your files', {
  functions: optional(
    mapOf(sourcePlace, 'function name or glob'),
    'For findings about a function; the first name or glob that matches counts.',
  ),
  requirements: optional(
    mapOf(sourcePlace, 'requirement id or glob'),
    'For all other findings; the first id or glob that matches counts.',
  ),
});

/** How one target is checked. Here are only the keys whose values are structures; all others are options. */
const settings = {
  ...optionKeys(CHECK_SETTINGS),
  ...optionKeys(COMMAND_SETTINGS),
  headers: optional(
    mapOf(header, 'header name'),
    'Sent with every request; `env` keeps a secret out of the file.',
  ),
  samples: optional(
    mapOf(listOf(sample, { orOne: true, atLeast: 1 }), 'function name'),
    'Inputs for functions.',
  ),
  answers: optional(
    answers,
    'What the client answers when a server of the Model Context Protocol asks it for input, a model or its roots.',
  ),
  producers: optional(
    mapOf(mapOf(producer, 'parameter'), 'function name'),
    'Parameters whose values other functions return, where the names do not show it.',
  ),
  suites: optional(listOf(placed(text()), { atLeast: 1 }), 'Your own suites, relative to this file.'),
  sources: optional(
    sources,
    'Where your code is, relative to this file: annotations, SARIF and Code Quality then point there.',
  ),
  mutating: optional(mutating, 'How to call functions that change something.'),
  latency: optional(latency, 'What is timed.'),
  budgets: optional(
    mapOf(budget, 'health, capabilities, execute, or execute:NAME'),
    'Latency limits of timed calls; a limit that is not set keeps its default.',
  ),
  listing: optional(
    either(text(), listing),
    'What the directory shows about the target; or a listing file, relative to this file, whose requirements are decided too.',
  ),
};

const targetName = text({
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  words:
    'a name of up to 64 letters, digits, dots, hyphens and underscores, which begins with a letter or digit',
});

const ownKeys = {
  name: required(placed(targetName), 'Name in the output, in the names of files, and for `--target`.'),
  url: optional(text(), 'Base address of the server.'),
  mcp: optional(
    text(),
    'In place of `url`, a server of the Model Context Protocol: its command or its address.',
  ),
  env: optional(listOf(text()), 'Names of environment variables that the command of `mcp` gets.'),
  start: optional(text(), 'Command that starts the server; it is stopped after the check.'),
};

const target = record('a target', { ...ownKeys, ...settings });

/** The configuration, probity.config.yaml. */
export const configShape = record('a configuration', {
  config: required(oneOf(['v1']), 'Version of the configuration.'),
  ...settings,
  targets: optional(
    listOf(target, { atLeast: 1 }),
    'Servers that `probity check` without an address checks, several at a time. A key of a target replaces the same key above.',
  ),
});

export type RawConfig = ValueOf<typeof configShape>;
export type RawTarget = ValueOf<typeof target>;

/** The parts of the configuration, for the reference in the docs. */
export const configLanguageParts = {
  configuration: configShape,
  // Its other keys are those of the configuration.
  target: record('a target', ownKeys),
  sample,
  answers,
  mutating,
  latency,
  budget,
  sources,
  listing,
} as const;

type OptionKeys<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly key: infer K extends string }
    ? K
    : never]: Key<Table[Name] extends { readonly written: infer W } ? WrittenValue<W> : never, false>;
};

/** The keys of a configuration that the options of a table have. */
export function optionKeys<const Table extends Options>(table: Table): OptionKeys<Table> {
  const keys = Object.values(table).flatMap((option) =>
    option.key === undefined ? [] : [[option.key, optional(shapeOf(option), sentenceOf(option))]],
  );
  return Object.fromEntries(keys) as OptionKeys<Table>;
}

function shapeOf({ written }: Option): Shape<unknown> {
  switch (written.as) {
    case 'toggle':
      return flag;
    case 'choice':
      return oneOf(written.of);
    case 'count':
      return integer(written.min, written.max);
    case 'seconds':
      return integer(1, DAY_SECONDS);
    case 'coverage':
      return either(
        integer(1, 10_000),
        text({ pattern: SHARE_OF_FUNCTIONS, words: 'a percentage such as 80%, or all' }),
      );
    case 'names':
      return listOf(written.of === undefined ? text() : oneOf(written.of));
    case 'lines':
      return listOf(text());
    case 'command':
    case 'text':
    case 'file':
      return text();
  }
}

function sentenceOf(option: Option): string {
  const { as } = option.written;
  const words = docOf(option);
  if (as === 'toggle') return `true: ${words}.`;
  const relative = as === 'file' ? '; relative to this file' : '';
  return `${words[0]?.toUpperCase()}${words.slice(1)}${relative}.`;
}
