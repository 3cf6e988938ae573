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
    throw new SuiteError(diagnostics, new Map([[file, withoutHeaderValues(text)]]));
  return config;
}

/** What is shown of a configuration with a mistake in it: the values of headers may be secrets. */
function withoutHeaderValues(text: string): string {
  let headersIndent: number | null = null;
  return text
    .split('\n')
    .map((line) => {
      const indent = line.search(/[^\s{]/);
      if (headersIndent !== null && indent >= 0 && indent <= headersIndent) headersIndent = null;
      const key = /(?:^|[\s{,])["']?headers["']?\s*:/.exec(line);
      if (headersIndent === null && key === null) return line;
      if (key !== null) headersIndent = indent;
      const from = key === null ? line.indexOf(':') + 1 : key.index + key[0].length;
      return line.slice(0, from) + line.slice(from).replaceAll(/\S/g, '*');
    })
    .join('\n');
}
