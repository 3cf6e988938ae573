import type { VNode } from 'preact';
import { decodeHistogram } from '../../latency/encoded-histogram.ts';
import { PERCENTILES, type Percentile } from '../../model/load.ts';
import { isMeasurement, type Measurement, type ResponseTimes } from '../../model/measurement.ts';
import { renderLoad } from '../terminal/bench-terminal.ts';
import type { Budgets, BudgetView } from '../view/figures.ts';
import { doubtWords, inMs, loadWords, notableTimes } from '../view/figures.ts';
import { type Labelled, MEASURED_TITLE, type ReportView } from '../view/report-view.ts';
import { counted } from '../view/words.ts';
import { List, Table } from './elements.tsx';
import { HistogramPicture, PercentilePicture } from './latency-pictures.tsx';
import type { TimeAxis } from './picture-frame.ts';

export function Latency({ view }: { readonly view: ReportView }): VNode | null {
  const { responseTimes, measured, single, singleTitle, bench } = view;
  if (responseTimes.length === 0) return null;
  return (
    <section id="latency" aria-labelledby="latency-title">
      <h2 id="latency-title">Response times</h2>
      <MeasuredTimes measured={measured} budgets={view.budgets} />
      {bench === undefined ? null : (
        <>
          <h3>The load and its comparisons</h3>
          <pre class="wide">
            <code>{renderLoad(view)}</code>
          </pre>
        </>
      )}
      {single.length === 0 ? null : <TimesTable title={singleTitle} times={single} />}
    </section>
  );
}

export function MeasuredTimes({
  measured,
  budgets = new Map(),
}: Readonly<{ measured: readonly Labelled<Measurement>[]; budgets?: Budgets }>): VNode | null {
  if (measured.length === 0) return null;
  const { notable, more } = notableTimes(measured);
  const axis = axisOf(notable, budgets);
  const doubtful = measured.filter((times) => doubtWords(times) !== '');
  return (
    <>
      <p>A percentile is left out where there are too few calls for it.</p>
      <TimesTable title={MEASURED_TITLE} times={measured} />
      {doubtful.length === 0 ? null : (
        <div class="box warning">
          <h3>Unreliable figures</h3>
          <List
            items={doubtful.map((times) => (
              <>
                <code>{times.label}</code>: {doubtWords(times)}
              </>
            ))}
          />
        </div>
      )}
      <p>
        Above: ms by percentile, with 95 % intervals as bars
        {budgets.size === 0 ? '' : ' and budgets as lines'}. Below: the number of calls by ms; the line is the
        median.
      </p>
      <div class="pictures">
        {notable.map((times) => (
          <Pictures key={times.key} times={times} axis={axis} budgets={budgets.get(times.key) ?? []} />
        ))}
      </div>
      {more > 0 ? <p>Pictures of the slowest and of unreliable functions; the table has all.</p> : null}
    </>
  );
}

function TimesTable({
  title,
  times: all,
}: Readonly<{ title: string; times: readonly Labelled<ResponseTimes>[] }>): VNode {
  const given = PERCENTILES.filter((percentile) =>
    all.some((times) => times[`${percentile}Ms`] !== undefined),
  );
  return (
    <Table
      label={title}
      caption={title}
      heads={['Operation', 'Calls', 'Errors', 'min', 'mean', ...given, 'max']}
    >
      {all.map((times, index) => (
        <tr key={index}>
          <th scope="row">
            <code>{times.label}</code>
            {isMeasurement(times) ? <span class="reason">{loadWords(times.load.model)}</span> : null}
          </th>
          <td>{times.count}</td>
          <td>{times.errors}</td>
          <td>{figure(times.minMs)}</td>
          <td>{figure(times.meanMs)}</td>
          {given.map((percentile) => (
            <td key={percentile}>{withInterval(times, percentile)}</td>
          ))}
          <td>{figure(times.maxMs)}</td>
        </tr>
      ))}
    </Table>
  );
}

function withInterval(times: ResponseTimes, percentile: Percentile): VNode | string {
  const ms = times[`${percentile}Ms`];
  const bounds = times.intervals[percentile];
  if (ms === undefined) return '–';
  return (
    <>
      {figure(ms)}
      {bounds === undefined ? null : (
        <span class="interval">
          {figure(bounds[0])} to {figure(bounds[1])}
        </span>
      )}
    </>
  );
}

/** A budget this much above the slowest call is still drawn. */
const MAX_SPARE = 2;

/** The range of the calls, of the intervals, and of the budgets that are not far above them. */
function axisOf(shown: readonly Measurement[], budgets: Budgets): TimeAxis {
  const slowest = shown.flatMap(({ maxMs = 0, intervals }) => [
    maxMs,
    ...PERCENTILES.map((percentile) => intervals[percentile]?.[1] ?? 0),
  ]);
  // A histogram has no shorter times than a microsecond.
  const minMs = Math.max(0.001, Math.min(...shown.map((times) => times.minMs ?? 0)) * 0.98);
  const slowestMs = Math.max(...slowest);
  const limits = shown.flatMap(({ key }) => budgets.get(key) ?? []).map(({ limitMs }) => limitMs);
  const near = limits.filter((limitMs) => limitMs <= slowestMs * MAX_SPARE);
  return {
    minMs,
    maxMs: Math.max(minMs * 1.2, slowestMs * 1.02, ...near),
    typicalMs: Math.max(minMs, Math.min(...shown.flatMap(({ p50Ms }) => p50Ms ?? []))),
  };
}

function Pictures({
  times,
  axis,
  budgets,
}: Readonly<{ times: Labelled<Measurement>; axis: TimeAxis; budgets: readonly BudgetView[] }>): VNode | null {
  const histogram = times.histogram === null ? null : decodeHistogram(times.histogram);
  if (histogram === null || histogram.totalCount === 0) return null;
  const drawn = budgets.filter(({ limitMs }) => limitMs >= axis.minMs && limitMs <= axis.maxMs);
  const others = budgets.filter((budget) => !drawn.includes(budget));
  return (
    <figure>
      <figcaption>
        <code>{times.label}</code>, {counted(times.count, 'call')}
        {doubtWords(times) === '' ? '' : ', unreliable'}
        <BudgetWords title="budgets" budgets={drawn} />
        <BudgetWords title="budgets outside the picture" budgets={others} />
      </figcaption>
      <PercentilePicture times={times} histogram={histogram} axis={axis} budgets={drawn} />
      <HistogramPicture times={times} histogram={histogram} axis={axis} />
    </figure>
  );
}

function BudgetWords({
  title,
  budgets,
}: Readonly<{ title: string; budgets: readonly BudgetView[] }>): VNode | null {
  if (budgets.length === 0) return null;
  return (
    <span class="reason">
      {title}: {budgets.map(({ words, isOver }) => `${words}${isOver ? ', exceeded' : ''}`).join(', ')}
    </span>
  );
}

function figure(ms: number | undefined): string {
  return ms === undefined ? '–' : inMs(ms).replace(/ ms$/, '');
}
