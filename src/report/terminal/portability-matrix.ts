import { visible } from '../../json/visible.ts';
import type { Profile } from '../../model/profile.ts';
import type { RuleProblem } from '../../portability/fit.ts';
import { wrap } from '../view/wrap.ts';
import { type Look, PLAIN } from './layout.ts';

export interface FitOfAll {
  readonly profile: Profile;
  readonly problems: readonly RuleProblem[];
}

export interface Portability {
  readonly names: readonly string[];
  readonly fits: readonly FitOfAll[];
  /** List every problem with its change, not only how many there are. */
  readonly isDetailed: boolean;
}

const FITS = '✓';
const GAP = '  ';

/** Functions by profiles: a tick, or the number of rules that a definition breaks. Pure. */
export function renderPortability(
  { names, fits, isDetailed }: Portability,
  { palette = PLAIN, columns = 80 }: Look = {},
): string {
  const heads = fits.map(({ profile }) => profile.short);
  const width = heads.reduce((sum, head) => sum + GAP.length + Math.max(head.length, MIN_WIDTH), 0);
  const shown = names.map((name) => visible(name));
  const nameWidth = Math.min(
    Math.max(15, ...shown.map((name) => name.length)),
    Math.max(12, columns - width),
  );
  const line = (name: string, cells: readonly string[]): string =>
    `${fitted(name, nameWidth)}${cells.map((cell, index) => `${GAP}${cell.padStart(Math.max(heads[index]?.length ?? 0, MIN_WIDTH))}`).join('')}`;
  const rows = names.map((name, index) => {
    const counts = fits.map(({ problems }) => problems.filter((one) => one.function === name).length);
    return line(shown[index] ?? '', counts.map(cellOf));
  });
  const countsOfAll = fits.map(({ problems }) => problems.filter((one) => one.function === null).length);
  const together = countsOfAll.some((count) => count > 0)
    ? [line('all together', countsOfAll.map(cellOf))]
    : [];
  const accepted = fits.map(({ problems }) => {
    const unfit = new Set(problems.map((one) => one.function));
    return String(names.filter((name) => !unfit.has(name)).length);
  });
  const block = (lines: readonly string[]): string => lines.map((one) => `${one}\n`).join('');
  const table = [
    palette.strong(line('', heads)),
    ...rows,
    ...together,
    line(`accepted of ${names.length}`, accepted),
  ];
  const legend = fits.map(
    ({ profile: { short, id, title } }) => `${short.padEnd(7)}${id.padEnd(18)}${title}`,
  );
  const key = `${FITS} accepted as it is; a number: the rules that the definition breaks.`;
  return [
    block(table),
    block([...legend, key]),
    block(isDetailed ? fits.flatMap((fit) => detailsOf(fit, columns)) : summaryOf(fits, columns)),
  ].join('\n');
}

const MIN_WIDTH = 3;

function cellOf(count: number): string {
  return count === 0 ? FITS : String(count);
}

function fitted(text: string, width: number): string {
  return text.length <= width ? text.padEnd(width) : `${text.slice(0, width - 1)}…`;
}

function summaryOf(fits: readonly FitOfAll[], columns: number): readonly string[] {
  const lines = fits.flatMap(({ profile, problems }) => {
    const counts = new Map<string, number>();
    for (const { rule } of problems) counts.set(rule.id, (counts.get(rule.id) ?? 0) + 1);
    if (counts.size === 0) return [];
    const rules = [...counts].toSorted(([, left], [, right]) => right - left);
    return wrap(`${profile.id}: ${rules.map(([id, count]) => `${id} ${count}`).join(', ')}`, columns);
  });
  return [
    ...lines,
    ...wrap(
      '--profile NAME lists what to change for a profile; --rewrite prints the definitions as it needs them.',
      columns,
    ),
  ];
}

function detailsOf({ profile, problems }: FitOfAll, columns: number): readonly string[] {
  if (problems.length === 0) return [`${profile.id}: every definition is accepted.`];
  return problems.flatMap(({ function: name, rule, pointer, message, change }) => [
    ...wrap(`${profile.id}/${rule.id}  ${visible(name ?? 'all functions')} ${visible(pointer)}`, columns),
    ...wrap(visible(message), columns - 2).map((text) => `  ${text}`),
    ...wrap(`change: ${visible(change)}`, columns - 2).map((text) => `  ${text}`),
  ]);
}
