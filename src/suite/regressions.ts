import type { JsonObject } from '../model/json.ts';
import { liveFreeJson } from '../model/visible.ts';
import { type Diagnostic, SuiteError } from './diagnostic.ts';
import { anyMapping, listOf, oneOf, record, reporterInto, required, text } from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

/** An input that showed a fault of a function. */
export interface Regression {
  readonly function: string;
  readonly requirement: string;
  readonly input: JsonObject;
}

const regression = record('a regression', {
  function: required(text(), 'Name of the function.'),
  requirement: required(text(), 'The requirement that failed.'),
  input: required(anyMapping, 'The input.'),
});

const regressionsShape = record('the regressions', {
  regressions: required(oneOf(['v1']), 'Version of this format.'),
  inputs: required(listOf(regression), 'Inputs that showed a fault.'),
});

/** Reads the regressions of earlier runs; throws a SuiteError with everything that is wrong with them. Pure. */
export function parseRegressions(source: string, file: string): readonly Regression[] {
  const { tree, diagnostics: syntax } = parseYaml(source, file);
  const diagnostics: Diagnostic[] = [...syntax];
  const raw = tree === null ? undefined : regressionsShape.read(tree, reporterInto(diagnostics, file));
  if (diagnostics.length > 0 || raw === undefined)
    throw new SuiteError(diagnostics, new Map([[file, source]]));
  return raw.inputs;
}

const HEADER = `# Inputs that showed a fault. \`probity fuzz\` tries them first, and adds those that it finds.
# Remove an entry when its function no longer exists.
`;

/** The text of a file of regressions; read again, it gives the same entries. Pure. */
export function writeRegressions(entries: readonly Regression[]): string {
  const lines = entries.map(
    ({ function: name, requirement, input }) =>
      `  - function: ${liveFreeJson(name)}\n    requirement: ${liveFreeJson(requirement)}\n    input: ${liveFreeJson(input)}\n`,
  );
  return `${HEADER}regressions: v1\ninputs:${lines.length === 0 ? ' []' : ''}\n${lines.join('')}`;
}
