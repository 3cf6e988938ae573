import { scaleLinear, scaleLog } from 'd3-scale';
import type { VNode } from 'preact';
import { figuresOf, Heads, round, WIDTH } from 'probity/html';
import type { OperationTimes, ServerDetails } from 'probity/model';
import type { EntryView } from './entry-view.ts';
import { msWords, percentWords, Section } from './figures.tsx';

/** Charts of the observed uptime and response times. */
export function Observed({
  entry: { uptimeByDay, uptimeCoverage, responseTimes },
}: Readonly<{ entry: EntryView }>): VNode {
  const isObserved = uptimeByDay.some(({ uptime }) => uptime !== null);
  return (
    <Section id="observed" title="Uptime and response times">
      <h3>Uptime over 30 days</h3>
      {isObserved ? (
        <>
          <p>
            Uptime is a share of the observed time. {percentWords(uptimeCoverage)} of the 30 days, or of the
            time since the server was added, was observed.
          </p>
          <UptimePicture days={uptimeByDay} />
        </>
      ) : (
        <p class="empty">No data yet: the directory has not called this server.</p>
      )}
      <h3>Response times over 7 days</h3>
      {responseTimes.length === 0 ? (
        <p class="empty">No data yet: no call by the directory has succeeded.</p>
      ) : (
        <>
          <p>For all successful calls by the directory. A percentile with too few calls is left out.</p>
          <div class="pictures">
            {responseTimes.map((times) => (
              <TimesPicture key={times.operation} times={times} />
            ))}
          </div>
        </>
      )}
    </Section>
  );
}

const LEFT = 34;
const RIGHT = WIDTH - 62;
const ROW = 20;
const BAR = 11;
/** Above this ratio of the slowest to the fastest call, a linear scale makes most bars too short. */
const MAX_LINEAR_RATIO = 20;

/** A bar for the fastest call, each percentile and the slowest. */
function TimesPicture({ times }: { readonly times: OperationTimes }): VNode {
  const given = figuresOf(times);
  const isLogarithmic = times.maxMs > MAX_LINEAR_RATIO * Math.max(times.minMs, 0.001);
  const max = Math.max(times.maxMs, 0.001);
  const x = isLogarithmic
    ? scaleLog([Math.max(times.minMs, 0.001) / 2, max], [LEFT, RIGHT])
    : scaleLinear([0, max], [LEFT, RIGHT]);
  const words = given.map(([name, ms]) => `${name} ${msWords(ms)}`).join(', ');
  const height = given.length * ROW + (isLogarithmic ? 16 : 2);
  return (
    <figure>
      <figcaption>
        <code>{times.operation}</code>, {times.count} {times.count === 1 ? 'call' : 'calls'}
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${height}`}
        role="img"
        aria-label={`Response times of ${times.operation}: ${words}`}
      >
        <line class="base" x1={LEFT} x2={LEFT} y1="0" y2={given.length * ROW} />
        {given.map(([name, ms], index) => {
          const to = round(x(Math.max(ms, isLogarithmic ? Math.max(times.minMs, 0.001) : 0)));
          const y = index * ROW + (ROW - BAR) / 2;
          return (
            <g key={name}>
              <text class="axis" x={LEFT - 5} y={y + BAR - 2} text-anchor="end">
                {name}
              </text>
              <rect class="bar" x={LEFT} y={y} width={Math.max(1, round(to - LEFT))} height={BAR} />
              <text class="figure" x={Math.max(LEFT + 1, to) + 5} y={y + BAR - 2}>
                {msWords(ms)}
              </text>
            </g>
          );
        })}
        {isLogarithmic ? (
          <text class="axis" x={LEFT} y={height - 3}>
            logarithmic scale
          </text>
        ) : null}
      </svg>
    </figure>
  );
}

type Days = ServerDetails['uptimeByDay'];

const DAYS_WIDTH = 720;
const GAP = 4;
const BASE = 64;
const TOP = 2;
/** A day below this uptime is marked as bad. */
const GOOD_PERCENTAGE = 99;
const MIN_SHARE = 0.06;

/** A bar for each day, as high as the share of the observed time in which the server was up. */
function UptimePicture({ days }: { readonly days: Days }): VNode {
  const step = (DAYS_WIDTH + GAP) / Math.max(1, days.length);
  return (
    <figure class="uptime">
      <svg
        preserveAspectRatio="none"
        viewBox={`0 0 ${DAYS_WIDTH} ${BASE + 1}`}
        role="img"
        aria-label={wordsOf(days)}
      >
        <line class="base" x1="0" x2={DAYS_WIDTH} y1={BASE} y2={BASE} />
        {days.map(({ date, uptime }, index) => {
          const share = uptime === null ? MIN_SHARE : Math.max(MIN_SHARE, uptime / 100);
          const height = (BASE - TOP) * share;
          return (
            <rect
              key={date}
              class={`day ${kindOf(uptime)}`}
              x={round(index * step)}
              y={round(BASE - height)}
              width={round(step - GAP)}
              height={round(height)}
            >
              <title>{`${date}: ${dayWords(uptime)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="span" aria-hidden="true">
        <span>{days[0]?.date}</span>
        <span>{days.at(-1)?.date}</span>
      </p>
      <details>
        <summary>Uptime by day</summary>
        <table class="days">
          <caption>Uptime as a share of the observed time</caption>
          <Heads heads={['Day (UTC)', 'Uptime', 'Observed']} />
          <tbody>
            {days.toReversed().map(({ date, uptime, coverage }) => (
              <tr key={date}>
                <th scope="row">{date}</th>
                <td>{dayWords(uptime)}</td>
                <td>{percentWords(coverage)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function kindOf(uptime: number | null): string {
  if (uptime === null) return 'unknown';
  if (uptime === 100) return 'whole';
  return uptime >= GOOD_PERCENTAGE ? 'good' : 'bad';
}

function dayWords(uptime: number | null): string {
  return uptime === null ? 'not observed' : percentWords(uptime);
}

function wordsOf(days: Days): string {
  const observed = days.filter(({ uptime }) => uptime !== null);
  const whole = observed.filter(({ uptime }) => uptime === 100);
  const worst = observed.toSorted((left, right) => (left.uptime ?? 0) - (right.uptime ?? 0))[0];
  const observedWords = `Uptime of ${days.length} days: ${observed.length} observed, up all the time on ${whole.length}`;
  return worst === undefined || worst.uptime === 100
    ? observedWords
    : `${observedWords}; the lowest was ${dayWords(worst.uptime)} on ${worst.date}`;
}
