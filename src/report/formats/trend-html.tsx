import { scaleLinear } from 'd3-scale';
import type { VNode } from 'preact';
import type { Trend } from '../compare/trend.ts';
import { Arrows, Heading, List, Table, VERDICT_CLASSES } from '../html/elements.tsx';
import { Grid, Intervals } from '../html/latency-pictures.tsx';
import { Page, pageText } from '../html/page.tsx';
import { HEIGHT, LEFT, RIGHT, round, TOP, WIDTH } from '../html/picture-frame.ts';
import { inMs } from '../view/figures.ts';
import {
  FLAKY_TITLE,
  LATENCY_TITLE,
  type LatencyLine,
  type RunLine,
  type TrendView,
  trendView,
} from '../view/trend-view.ts';
import { madeVisible } from '../view/visible-result.ts';
import { counted } from '../view/words.ts';

export function renderTrendHtml(trends: readonly Trend[], skippedFiles: readonly string[]): string {
  const skipped = madeVisible(skippedFiles);
  return pageText(
    <Page title="Trend">
      <Heading brand="Probity trend" mark="measured" word={counted(trends.length, 'target')} />
      <main id="content" tabIndex={-1}>
        {trends.map(trendView).map((view, index) => (
          <Target key={view.url} view={view} name={`target-${index + 1}`} />
        ))}
        {skipped.length === 0 ? null : (
          <section aria-labelledby="skipped-title">
            <h2 id="skipped-title">Skipped files</h2>
            <List items={skipped} />
          </section>
        )}
      </main>
    </Page>,
  );
}

function Target({ view, name }: Readonly<{ view: TrendView; name: string }>): VNode {
  const { url, about, runs, latency, flaky } = view;
  return (
    <section aria-labelledby={name}>
      <h2 id={name}>{url}</h2>
      <p>{about}</p>
      <Runs runs={runs} label={`Runs of ${url}`} />
      {flaky.length === 0 ? null : (
        <div class="box warning">
          <h3>{FLAKY_TITLE}</h3>
          <List
            items={flaky.map(({ id, words }) => (
              <>
                <code>{id}</code> {words}
              </>
            ))}
          />
        </div>
      )}
      {latency.length === 0 ? null : <h3>{LATENCY_TITLE}</h3>}
      <div class="pictures">
        {latency.map((line) => (
          <figure key={line.name}>
            <figcaption>
              <code>{line.name}</code> <Arrows text={line.range} />
              {line.words.map((words) => (
                <span key={words} class="reason">
                  <Arrows text={words} />
                </span>
              ))}
            </figcaption>
            <TrendPicture line={line} />
          </figure>
        ))}
      </div>
    </section>
  );
}

const COLUMNS = ['Run (UTC)', 'Verdict', 'Requirements', 'p95, ms', 'Changes since the last decision'];

/** Newest first, because that is read first. */
function Runs({ runs, label }: { readonly runs: readonly RunLine[]; readonly label: string }): VNode {
  return (
    <Table label={label} heads={COLUMNS}>
      {runs.toReversed().map(({ id, date, mark, counts, p95, changes }) => (
        <tr key={id}>
          <th scope="row" class="date">
            {date}
          </th>
          <td>
            <span class={`mark ${VERDICT_CLASSES[mark]}`}>{mark}</span>
          </td>
          <td>{counts}</td>
          <td>{p95 === '' ? '–' : p95}</td>
          <td>
            {changes.map((words) => (
              <div key={words}>
                <Arrows text={words} />
              </div>
            ))}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** The median of each run, oldest on the left. A bar is its 95 % interval; unreliable figures have none. */
function TrendPicture({ line }: { readonly line: LatencyLine }): VNode {
  const { name, p50Ms, intervalMs } = line;
  const highs = intervalMs.flatMap((interval) => (interval === null ? [] : [interval[1]]));
  const maxMs = Math.max(0.001, ...p50Ms.filter((value) => value !== null), ...highs);
  const x = scaleLinear([0, Math.max(1, p50Ms.length - 1)], [LEFT + 4, RIGHT - 4]);
  const y = scaleLinear([0, maxMs * 1.05], [HEIGHT, TOP]);
  const points = p50Ms.flatMap((value, index) =>
    value === null
      ? []
      : [{ x: round(x(index)), y: round(y(value)), bar: intervalMs[index]?.map((ms) => round(y(ms))) }],
  );
  const shown = p50Ms.map((value) => (value === null ? 'none' : inMs(value))).join(', ');
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`} role="img" aria-label={`p50 of ${name} by run: ${shown}`}>
      <Grid ticks={y.ticks(4)} y={y} />
      <text x={LEFT} y={HEIGHT + 14}>
        p50 in ms by run, bars: 95 % intervals
      </text>
      <Intervals points={points} />
    </svg>
  );
}
