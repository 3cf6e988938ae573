import type { JsonObject } from '../../json/json.ts';
import { liveFreeJson } from '../../json/visible.ts';
import type { CallToRepeat } from '../../model/call.ts';
import { mapOf, optional, record, required, valuesByKey } from '../yaml/mapping.ts';
import { parseDocument } from '../yaml/parse-document.ts';
import { anyMapping, integer, listOf, oneOf, type Reporter, text, type ValueOf } from '../yaml/shape.ts';

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

type RawCall = Pick<ValueOf<typeof earlier>, 'from'>;

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
  return parseDocument(source, file, regressionsShape, ({ inputs }, report) =>
    inputs.map(({ after = [], ...last }) => {
      for (const [before, call] of [...after, last].entries()) reportUnknownCalls(call, before, report);
      return {
        ...last,
        from: valuesByKey(last.from),
        after: after.map((call) => ({ ...call, from: valuesByKey(call.from) })),
      };
    }),
  );
}

/** A value can only be taken from a call before. */
function reportUnknownCalls({ from = [] }: RawCall, before: number, report: Reporter): void {
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
