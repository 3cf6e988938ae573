import { type Diagnostic, type SourceLine, SuiteError } from './diagnostic.ts';
import { type Reporter, reporterInto, type Shape } from './shape.ts';
import type { Tree } from './tree.ts';
import { type ParsedYaml, parseYaml } from './yaml-tree.ts';

/** What is read from a document, or a SuiteError with everything that is wrong with it, which quotes `shown`. */
export function readParsed<T>(
  { tree, diagnostics: syntax }: ParsedYaml,
  file: string,
  shown: string | SourceLine,
  read: (tree: Tree, report: Reporter) => T | undefined,
): T {
  const diagnostics: Diagnostic[] = [...syntax];
  const value = tree === null ? undefined : read(tree, reporterInto(diagnostics, file));
  if (diagnostics.length > 0 || value === undefined)
    throw new SuiteError(diagnostics, new Map([[file, shown]]));
  return value;
}

/** What `resolve` makes of a YAML document of a shape; throws as above. Pure if `resolve` is. */
export function parseDocument<T, R>(
  text: string,
  file: string,
  shape: Shape<T>,
  resolve: (value: T, report: Reporter) => R,
  shown = text,
): R {
  return readParsed(parseYaml(text, file), file, shown, (tree, report) => {
    const value = shape.read(tree, report);
    return value === undefined ? undefined : resolve(value, report);
  });
}
