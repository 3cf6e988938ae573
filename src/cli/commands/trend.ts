import { renderTrendPage } from '../../check/render/render-compared.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { escapeLive, visible } from '../../json/visible.ts';
import { parseTarget } from '../../model/target.ts';
import { type Trend, type TrendRun, trendRun, trendsOf } from '../../report/compare/trend.ts';
import { readReport } from '../../report/read-report.ts';
import { renderTrends } from '../../report/terminal/trend-terminal.ts';
import { reportFilesIn } from '../terminal/report-files.ts';
import { formatOf, type TextFlags, writeText } from '../terminal/write-file.ts';

interface TrendFlags extends TextFlags<'text' | 'json' | 'html'> {
  readonly target?: string;
}

export async function trend(folder: string, flags: TrendFlags): Promise<void> {
  const format = formatOf(flags);
  const { runs, skipped } = await storedRuns(folder);
  for (const words of skipped) say(`skipped: ${visible(words)}`);
  if (runs.length === 0)
    throw new UsageError(
      `${visible(folder)} has no report of a check. Run probity check URL, or name the folder of its --reports.`,
    );
  const trends = chosen(trendsOf(runs), flags.target);
  await writeText(flags.output, async (look) => {
    if (format === 'html') return renderTrendPage(trends, skipped);
    if (format === 'json') return `${escapeLive(JSON.stringify({ targets: trends, skipped }, null, 2))}\n`;
    return renderTrends(trends, look);
  });
}

/** One after another, because a report may have megabytes. */
async function storedRuns(folder: string) {
  const runs: TrendRun[] = [];
  const skipped: string[] = [];
  for (const file of await reportFilesIn(folder)) {
    try {
      const result = await readReport(file);
      // A load is measured under separate conditions, and decides nothing.
      if (result.bench === undefined) runs.push(trendRun(result, file));
    } catch (error) {
      skipped.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { runs, skipped };
}

function chosen(trends: readonly Trend[], wanted: string | undefined): readonly Trend[] {
  if (wanted === undefined) return trends;
  const parsed = parseTarget(wanted);
  const url = 'problem' in parsed ? wanted : parsed.target.url;
  const found = trends.filter(
    ({ target, runs }) => target.url === url || target.url === wanted || runs[0]?.targetName === wanted,
  );
  if (found.length > 0) return found;
  const known = trends.slice(0, MAX_NAMED).map(({ target }) => visible(target.url));
  throw new UsageError(
    `--target: there is no report of ${visible(wanted)}. There are reports of ${known.join(', ')}${trends.length > MAX_NAMED ? ' and others' : ''}.`,
  );
}

const MAX_NAMED = 10;
