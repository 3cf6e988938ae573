import { configShape, type RawConfig } from './config-language.ts';
import { type Diagnostic, SuiteError } from './diagnostic.ts';
import { reporterInto } from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

/** Reads a configuration; throws a SuiteError with everything that is wrong with it. Pure. */
export function parseConfig(text: string, file: string): RawConfig {
  const { tree, diagnostics: syntax } = parseYaml(text, file);
  const diagnostics: Diagnostic[] = [...syntax];
  const config = tree === null ? undefined : configShape.read(tree, reporterInto(diagnostics, file));
  if (diagnostics.length > 0 || config === undefined)
    throw new SuiteError(diagnostics, new Map([[file, text]]));
  return config;
}
