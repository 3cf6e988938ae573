import { BUDGETED_FIGURES, parseBudget, parseBudgeted } from '../../model/budget.ts';
import { checkSelector } from '../language/check-selector.ts';
import type { Place } from '../yaml/diagnostic.ts';
import { parseDocument } from '../yaml/parse-document.ts';
import type { Reporter } from '../yaml/shape.ts';
import { configShape, type RawConfig, type RawTarget } from './config-language.ts';

/** Reads a configuration; throws a SuiteError with everything that is wrong with it. Pure if `checkMore` is. */
export function parseConfig(
  text: string,
  file: string,
  checkMore: (settings: Pick<RawConfig, 'sources'>, report: Reporter) => void = () => undefined,
): RawConfig {
  const check = (config: RawConfig, report: Reporter): RawConfig => {
    const { targets = [] } = config;
    for (const settings of [config, ...targets]) {
      for (const { line, place } of budgetLines(settings)) {
        const parsed = parseBudget(line);
        if ('problem' in parsed) report('wrong-value', place, parsed.problem, parsed.remedy);
      }
      const producers = (settings.producers ?? []).flatMap(({ value }) => value.map((one) => one.value));
      for (const { at } of producers) checkSelector(at, report);
      checkMore(settings, report);
    }
    checkTargets(targets, report);
    return config;
  };
  return parseDocument(text, file, configShape, check, withoutHeaderValues(text));
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
      refuse('name', `the target "${name.value}" has no address`, ADDRESS_REMEDY);
    if (mcp === undefined) {
      if (env !== undefined) refuse('env', '`env` applies only to `mcp`', 'Remove it, or add `mcp`.');
      continue;
    }
    for (const [key, value] of Object.entries({ url, start }))
      if (value !== undefined)
        refuse(key, `\`${key}\` and \`mcp\` name two servers`, 'Remove one of the two.');
  }
}

const ADDRESS_REMEDY = 'Add `url`, `mcp`, or a file as `listing`.';

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

/** A target that a configuration names, with the configuration that applies to it. */
export interface TargetConfig {
  readonly name: string;
  readonly url: string | undefined;
  readonly mcp: string | undefined;
  readonly env: readonly string[] | undefined;
  readonly start: string | undefined;
  readonly config: RawConfig;
}

/** The targets of a configuration; none if it describes only one. Pure. */
export function targetConfigs({ targets = [], ...shared }: RawConfig): readonly TargetConfig[] {
  return targets.map(({ name, url, mcp, env, start, ...own }) => {
    const config = { ...shared, ...own };
    return { name: name.value, url, mcp, env, start, config };
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
