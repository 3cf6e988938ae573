import { BUDGETED_FIGURES, parseBudget, parseBudgeted } from '../model/budget.ts';
import { configShape, type RawConfig, type RawTarget } from './config-language.ts';
import { type Diagnostic, type Place, SuiteError } from './diagnostic.ts';
import { checkSelector } from './language/check-selector.ts';
import { type Reporter, reporterInto } from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

/** Reads a configuration; throws a SuiteError with everything that is wrong with it. Pure if `checkMore` is. */
export function parseConfig(
  text: string,
  file: string,
  checkMore: (settings: Pick<RawConfig, 'sources'>, report: Reporter) => void = () => undefined,
): RawConfig {
  const { tree, diagnostics: syntax } = parseYaml(text, file);
  const diagnostics: Diagnostic[] = [...syntax];
  const report = reporterInto(diagnostics, file);
  const config = tree === null ? undefined : configShape.read(tree, report);
  for (const settings of config === undefined ? [] : [config, ...(config.targets ?? [])]) {
    for (const { line, place } of budgetLines(settings)) {
      const parsed = parseBudget(line);
      if ('problem' in parsed) report('wrong-value', place, parsed.problem, parsed.remedy);
    }
    for (const { at } of (settings.producers ?? []).flatMap(({ value }) => value.map((entry) => entry.value)))
      checkSelector(at, report);
    checkMore(settings, report);
  }
  checkTargets(config?.targets ?? [], report);
  if (diagnostics.length > 0 || config === undefined)
    throw new SuiteError(diagnostics, new Map([[file, withoutHeaderValues(text)]]));
  return config;
}

/** Two names that differ only in case are the same folder on some file systems. */
function checkTargets(targets: readonly RawTarget[], report: Reporter): void {
  const names = new Set<string>();
  for (const { name, url, mcp, env, start, listing, place, keyPlaces } of targets) {
    const refuse = (key: string, message: string, suggestion: string): void =>
      report('wrong-value', keyPlaces[key] ?? place, message, suggestion);
    const known = name.value.toLowerCase();
    if (names.has(known))
      report('wrong-value', name.place, `two targets are called "${name.value}"`, 'Give each its own name.');
    names.add(known);
    if (url === undefined && mcp === undefined && typeof listing !== 'string')
      refuse(
        'name',
        `the target "${name.value}" has no address`,
        'Add `url`, `mcp`, or a file as `listing`.',
      );
    if (mcp === undefined) {
      if (env !== undefined) refuse('env', '`env` applies only to `mcp`', 'Remove it, or add `mcp`.');
      continue;
    }
    for (const [key, value] of Object.entries({ url, start }))
      if (value !== undefined)
        refuse(key, `\`${key}\` and \`mcp\` name two servers`, 'Remove one of the two.');
  }
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
