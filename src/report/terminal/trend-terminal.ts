import type { Trend } from '../compare/trend.ts';
import {
  FLAKY_TITLE,
  LATENCY_TITLE,
  type LatencyLine,
  type RunLine,
  type TrendView,
  trendView,
} from '../view/trend-view.ts';
import { hanging } from '../view/wrap.ts';
import { inBlocks, indented, type Layout, type Look, layoutOf } from './layout.ts';

export function renderTrends(trends: readonly Trend[], options: Look): string {
  const layout = layoutOf(options);
  return inBlocks(trends.map(trendView).flatMap((view) => blocksOf(view, layout)));
}

function blocksOf({ url, about, runs, latency, flaky }: TrendView, layout: Layout): readonly string[] {
  const { palette, width } = layout;
  const names = Math.max(0, ...latency.map(({ name }) => Math.min(name.length, MAX_NAME)));
  return [
    `${palette.strong(url)}  ${about}`,
    runs.flatMap((run) => runLines(run, layout)).join('\n'),
    latency.length === 0
      ? ''
      : [LATENCY_TITLE, ...indented(latency.flatMap((line) => latencyLines(line, names, layout)))].join('\n'),
    flaky.length === 0
      ? ''
      : [
          palette.doubtful(FLAKY_TITLE),
          ...indented(flaky.flatMap(({ id, words }) => hanging(`${id}: ${words}`, width - 2))),
        ].join('\n'),
  ];
}

const MAX_NAME = 30;
const MAX_CHANGES = 10;

function runLines(
  { date, mark, counts, p95, changes }: RunLine,
  { palette, width }: Layout,
): readonly string[] {
  const paint = mark === 'pass' ? palette.good : mark === 'incomplete' ? palette.doubtful : palette.bad;
  const rest = changes.length - MAX_CHANGES;
  const [first = '', ...more] = hanging(
    `${counts}${p95 === '' ? '' : `; p95 in ms: ${p95}`}`,
    width - DATE_AND_VERDICT,
  );
  return [
    `${date}  ${paint(mark.toUpperCase().padEnd(11))}  ${first}`,
    ...indented(more, DATE_AND_VERDICT),
    ...indented(
      [...changes.slice(0, MAX_CHANGES), ...(rest > 0 ? [`and ${rest} more; --json has all`] : [])],
      4,
    ),
  ];
}

const DATE_AND_VERDICT = 34;

function latencyLines(
  { name, p50Ms, range, outcome, words }: LatencyLine,
  columns: number,
  { palette }: Layout,
): readonly string[] {
  const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
  const paint = outcome === 'changed' ? palette.strong : palette.faint;
  return [
    `${shown.padEnd(columns)}  ${sparkline(p50Ms.slice(-MAX_SPARKS))}  ${range}`,
    ...indented(words.map(paint)),
  ];
}

const MAX_SPARKS = 40;
const SPARKS = '▁▂▃▄▅▆▇█';

/** Heights from 0, so that noise does not look like a mountain; a gap where there is no figure. */
export function sparkline(values: readonly (number | null)[]): string {
  const highest = Math.max(0, ...values.filter((value) => value !== null));
  return values
    .map((value) =>
      value === null
        ? ' '
        : SPARKS.charAt(Math.min(SPARKS.length - 1, Math.floor((value / (highest || 1)) * SPARKS.length))),
    )
    .join('');
}
