import { BUDGETED_FIGURES, parseBudget, parseBudgeted } from '../model/budget.ts';
import { checkSelector } from './check-selector.ts';
import { configShape, type RawConfig } from './config-language.ts';
import { type Diagnostic, type Place, SuiteError } from './diagnostic.ts';
import { type Reporter, reporterInto } from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

/** Reads a configuration; throws a SuiteError with everything that is wrong with it. Pure if `checkMore` is. */
export function parseConfig(
  text: string,
  file: string,
  checkMore: (config: RawConfig, report: Reporter) => void = () => undefined,
): RawConfig {
  const { tree, diagnostics: syntax } = parseYaml(text, file);
  const diagnostics: Diagnostic[] = [...syntax];
  const report = reporterInto(diagnostics, file);
  const config = tree === null ? undefined : configShape.read(tree, report);
  for (const { line, place } of config === undefined ? [] : budgetLines(config)) {
    const parsed = parseBudget(line);
    if ('problem' in parsed) report('wrong-value', place, parsed.problem, parsed.remedy);
  }
  for (const { at } of (config?.producers ?? []).flatMap(({ value }) => value.map((entry) => entry.value)))
    checkSelector(at, report);
  if (config !== undefined) checkMore(config, report);
  if (diagnostics.length > 0 || config === undefined)
    throw new SuiteError(diagnostics, new Map([[file, withoutHeaderValues(text)]]));
  return config;
}

/** The budgets in the syntax of the command line, each with its place. */
export function budgetLines({
  budgets = [],
}: Pick<RawConfig, 'budgets'>): readonly { readonly line: string; readonly place: Place }[] {
  return budgets.flatMap(({ key, place, value }) => {
    const target = parseBudgeted(key);
    // A wrong name is reported once, however many limits it has.
    if ('problem' in target) return [{ line: `${key}.p50=1ms`, place }];
    return BUDGETED_FIGURES.flatMap((figure) => {
      const limit = value[figure];
      return limit === undefined ? [] : [{ line: `${key}.${figure}=${limit.value}`, place: limit.place }];
    });
  });
}

/** The source text for error messages, without header values, which may be secrets. */
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
