import type { VNode } from 'preact';
import { decodeHistogram } from '../../latency/encoded-histogram.ts';
import type { Histogram } from '../../latency/histogram.ts';
import type { LoadModel } from '../../model/load.ts';
import { PERCENTILES, type Percentile } from '../../model/percentile.ts';
import { isMeasurement, type Measurement, type ResponseTimes } from '../../model/report.ts';
import { renderBench } from '../terminal/bench-terminal.ts';
import { inMs } from '../view/figures.ts';
import { HistogramPicture } from './histogram-picture.tsx';
import { PercentilePicture } from './percentile-picture.tsx';
import type { VisibleResult } from './visible-result.ts';

/** Pictures take room; the table has all. */
const MAX_PICTURES = 12;

export function Latency({ result }: { readonly result: VisibleResult }): VNode | null {
  const { responseTimes } = result;
  if (responseTimes.length === 0) return null;
  const measured = responseTimes.filter(isMeasurement);
  const known = new Set(measured.map(({ operation }) => operation));
  const others = responseTimes.filter((times) => times.function === undefined && !known.has(times.operation));
  return (
    <section id="latency" aria-labelledby="latency-title">
      <h2 id="latency-title">Response times</h2>
      <MeasuredTimes measured={measured} />
      {result.bench === undefined ? null : (
        <>
          <h3>The load, and what was compared</h3>
          <pre class="wide">
            <code>{renderBench({ ...result, exchanges: [], samples: [] })}</code>
          </pre>
        </>
      )}
      {others.length === 0 ? null : (
        <TimesTable
          title={`Other requests, connecting included, with up to ${result.settings.concurrency} at once`}
          times={others}
        />
      )}
    </section>
  );
}

/** The times of calls that were made to be timed, as a table and as pictures. */
export function MeasuredTimes({ measured }: { readonly measured: readonly Measurement[] }): VNode | null {
  if (measured.length === 0) return null;
  return (
    <>
      <p>
        Of calls over open connections, in milliseconds, with 95 % confidence intervals. A percentile is left
        out where there are too few calls for it.
      </p>
      <TimesTable title="Timed calls" times={measured} />
      <Doubts measured={measured} />
      <div class="pictures">
        {chosen(measured).map((times) => (
          <Pictures key={times.key} times={times} />
        ))}
      </div>
      {measured.length > MAX_PICTURES ? (
        <p>Pictures of {MAX_PICTURES} operations, the slowest functions among them; the table has all.</p>
      ) : null}
    </>
  );
}

function chosen(measured: readonly Measurement[]): readonly Measurement[] {
  const operations = measured.filter((times) => times.function === undefined);
  const slowest = measured
    .filter((times) => times.function !== undefined)
    .toSorted((left, right) => (right.p50Ms ?? 0) - (left.p50Ms ?? 0))
    .slice(0, MAX_PICTURES - operations.length);
  return measured.filter((times) => operations.includes(times) || slowest.includes(times));
}

function TimesTable({
  title,
  times: all,
}: {
  readonly title: string;
  readonly times: readonly ResponseTimes[];
}): VNode {
  const given = PERCENTILES.filter((percentile) =>
    all.some((times) => times[`${percentile}Ms`] !== undefined),
  );
  return (
    <section class="scroll" aria-label={title} tabIndex={0}>
      <table class="times">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <th scope="col">Calls</th>
            <th scope="col">Errors</th>
            <th scope="col">min</th>
            <th scope="col">mean</th>
            {given.map((percentile) => (
              <th key={percentile} scope="col">
                {percentile}
              </th>
            ))}
            <th scope="col">max</th>
          </tr>
        </thead>
        <tbody>
          {all.map((times, index) => (
            <tr key={index}>
              <th scope="row">
                <code>{labelOf(times)}</code>
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
        </tbody>
      </table>
    </section>
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

function Doubts({ measured }: { readonly measured: readonly Measurement[] }): VNode | null {
  const doubtful = measured.filter(({ unreliable }) => unreliable.length > 0);
  if (doubtful.length === 0) return null;
  return (
    <div class="box warning">
      <h3>Figures that cannot be relied on</h3>
      <ul>
        {doubtful.map((times) => (
          <li key={times.key}>
            <code>{labelOf(times)}</code>: {times.unreliable.join('; ')}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Pictures({ times }: { readonly times: Measurement }): VNode | null {
  const histogram = histogramOf(times);
  if (histogram === null) return null;
  return (
    <figure>
      <figcaption>
        <code>{labelOf(times)}</code>, {times.count} calls
        {times.unreliable.length > 0 ? ', not to be relied on' : ''}
      </figcaption>
      <PercentilePicture times={times} histogram={histogram} label={labelOf(times)} />
      <HistogramPicture times={times} histogram={histogram} label={labelOf(times)} />
    </figure>
  );
}

/** A saved result may hold a histogram that is none. */
function histogramOf({ histogram: text }: Measurement): Histogram | null {
  if (text === null) return null;
  try {
    const histogram = decodeHistogram(text);
    return histogram.totalCount > 0 ? histogram : null;
  } catch {
    return null;
  }
}

function labelOf({ operation, function: name }: ResponseTimes): string {
  return name === undefined ? operation : `${operation} ${name}`;
}

/** Never a figure of a closed loop without its name. */
function loadWords(model: LoadModel): string {
  return model.kind === 'closed'
    ? `closed loop, ${model.connections} ${model.connections === 1 ? 'connection' : 'connections'}`
    : `open loop, ${Number(model.ratePerSecond.toFixed(1))} a second`;
}

function figure(ms: number | undefined): string {
  return ms === undefined ? '–' : inMs(ms).replace(/ ms$/, '');
}
