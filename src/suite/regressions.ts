import type { JsonObject } from '../json/json.ts';
import { liveFreeJson } from '../json/visible.ts';
import type { CallToRepeat, TakenValue } from '../model/call.ts';
import { type Diagnostic, type Place, SuiteError } from './diagnostic.ts';
import {
  anyMapping,
  integer,
  listOf,
  mapOf,
  oneOf,
  optional,
  type Reporter,
  record,
  reporterInto,
  required,
  text,
} from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

/** An input that showed a fault of a function. */
export interface Regression extends CallToRepeat {
  readonly requirement: string;
  /** The calls before it; none if it shows the fault alone. */
  readonly after: readonly CallToRepeat[];
}

const taken = record('a taken value', {
  call: required(integer(1, 100), 'Place of the call in its sequence, counted from 1.'),
  at: required(
    text({ pattern: /^(\/|$)/, words: 'a JSON pointer, such as "/id", or "" for the whole result' }),
    'JSON pointer in its result, such as "/id".',
  ),
});

const from = optional(mapOf(taken, 'parameter'), 'By parameter: the call before whose result has its value.');

const earlier = record('a call', {
  function: required(text(), 'Name of the function.'),
  input: required(anyMapping, 'The input.'),
  from,
});

const regression = record('a regression', {
  function: required(text(), 'Name of the function.'),
  requirement: required(text(), 'The requirement that failed.'),
  input: required(anyMapping, 'The input.'),
  from,
  after: optional(listOf(earlier), 'The calls before it, if it fails only after them.'),
});

const regressionsShape = record('the regressions', {
  regressions: required(oneOf(['v1']), 'Version of this format.'),
  inputs: required(listOf(regression), 'Inputs that showed a fault.'),
});

/** Reads the regressions of earlier runs; throws a SuiteError with everything that is wrong with them. Pure. */
export function parseRegressions(source: string, file: string): readonly Regression[] {
  const { tree, diagnostics: syntax } = parseYaml(source, file);
  const diagnostics: Diagnostic[] = [...syntax];
  const report = reporterInto(diagnostics, file);
  const raw = tree === null ? undefined : regressionsShape.read(tree, report);
  for (const { after = [], ...last } of raw?.inputs ?? [])
    for (const [before, call] of [...after, last].entries()) reportUnknownCalls(call.from, before, report);
  if (diagnostics.length > 0 || raw === undefined)
    throw new SuiteError(diagnostics, new Map([[file, source]]));
  return raw.inputs.map(({ after = [], ...last }) => ({
    ...last,
    from: valuesIn(last.from),
    after: after.map((call) => ({ ...call, from: valuesIn(call.from) })),
  }));
}

/** A value can only be taken from a call before. */
function reportUnknownCalls(
  from: readonly { readonly key: string; readonly value: TakenValue; readonly place: Place }[] = [],
  before: number,
  report: Reporter,
): void {
  for (const { key, value, place } of from) {
    if (value.call <= before) continue;
    report(
      'wrong-value',
      place,
      `"${key}" takes a value of call ${value.call}, which is not before this call`,
      before === 0
        ? 'Add the calls before it under "after", or remove it.'
        : `Write a number from 1 to ${before}: the calls under "after" are counted from 1.`,
    );
  }
}

function valuesIn(
  from: readonly { readonly key: string; readonly value: TakenValue }[] = [],
): CallToRepeat['from'] {
  return Object.fromEntries(from.map(({ key, value }) => [key, value]));
}

const HEADER = `# Inputs that showed a fault. \`probity fuzz\` tries them first, and adds those that it finds.
# Remove an entry when its function no longer exists.
`;

/** The text of a file of regressions; read again, it gives the same entries. Pure. */
export function writeRegressions(entries: readonly Regression[]): string {
  const lines = entries.map(({ requirement, after, ...last }) =>
    [
      `  - function: ${liveFreeJson(last.function)}`,
      `    requirement: ${liveFreeJson(requirement)}`,
      `    input: ${liveFreeJson(last.input)}`,
      ...(isEmpty(last.from) ? [] : [`    from: ${liveFreeJson(last.from)}`]),
      ...(after.length === 0
        ? []
        : ['    after:', ...after.map((call) => `      - ${liveFreeJson(kept(call))}`)]),
      '',
    ].join('\n'),
  );
  return `${HEADER}regressions: v1\ninputs:${lines.length === 0 ? ' []' : ''}\n${lines.join('')}`;
}

function kept({ function: name, input, from: taken }: CallToRepeat): JsonObject {
  return { function: name, input, ...(isEmpty(taken) ? {} : { from: taken }) };
}

function isEmpty(from: CallToRepeat['from']): boolean {
  return Object.keys(from).length === 0;
}
