import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSourcePlace, type SourceMap, type SourceRule } from '../model/source-map.ts';
import type { RawConfig } from './config/config-language.ts';
import { parseConfig } from './config/parse-config.ts';
import { readSource } from './read-source.ts';
import type { Reporter } from './yaml/shape.ts';

/** Reads a configuration from its file; throws a SuiteError with everything that is wrong with it. */
export function readConfig(file: string): RawConfig {
  return parseConfig(readSource(file).text, file, (config, report) => checkSources(config, file, report));
}

/** The places in the user's files, relative to the current folder. */
export function sourcesOf({ sources }: RawConfig, file: string): SourceMap | undefined {
  if (sources === undefined) return undefined;
  const rules = (list: NonNullable<RawConfig['sources']>['functions'] = []): readonly SourceRule[] =>
    list.map(({ key, value }) => {
      const place = parseSourcePlace(value.value);
      return { glob: key, file: besideConfig(place.file, file).replaceAll(path.sep, '/'), line: place.line };
    });
  return { functions: rules(sources.functions), requirements: rules(sources.requirements) };
}

function besideConfig(source: string, file: string): string {
  return path.join(path.dirname(file), source);
}

function checkSources({ sources }: Pick<RawConfig, 'sources'>, file: string, report: Reporter): void {
  for (const { value } of [...(sources?.functions ?? []), ...(sources?.requirements ?? [])]) {
    const { file: source, line } = parseSourcePlace(value.value);
    const refuse = (message: string, remedy: string): void =>
      report('unreadable-file', value.place, message, remedy);
    const lines = path.isAbsolute(source) ? null : linesIn(besideConfig(source, file));
    if (path.isAbsolute(source))
      refuse(`"${source}" is an absolute path`, 'Write the path relative to this file.');
    else if (lines === null)
      refuse(`cannot read the file ${source}`, 'Correct the path; it is relative to this file.');
    else if (line < 1 || line > lines)
      refuse(`${source} has ${lines} lines, and no line ${line}`, 'Correct the line, or remove it.');
  }
}

/** Null if it is not a readable file. */
function linesIn(file: string): number | null {
  try {
    return readFileSync(file, 'utf8').replace(/\n$/, '').split('\n').length;
  } catch {
    return null;
  }
}
