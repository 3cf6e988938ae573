import { type Diagnostic, SuiteError } from './diagnostic.ts';
import { type Reporter, reporterInto, type Shape } from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

/**
 * What `resolve` makes of a YAML document of a shape. Throws a SuiteError with everything that is wrong with it; `shown`
 * is the text that its messages quote. Pure if `resolve` is.
 */
export function parseDocument<T, R>(
  text: string,
  file: string,
  shape: Shape<T>,
  resolve: (value: T, report: Reporter) => R,
  shown: (text: string) => string = () => text,
): R {
  const { tree, diagnostics: syntax } = parseYaml(text, file);
  const diagnostics: Diagnostic[] = [...syntax];
  const report = reporterInto(diagnostics, file);
  const value = tree === null ? undefined : shape.read(tree, report);
  const resolved = value === undefined ? undefined : resolve(value, report);
  if (diagnostics.length > 0 || resolved === undefined)
    throw new SuiteError(diagnostics, new Map([[file, shown(text)]]));
  return resolved;
}
