import type { VNode } from 'preact';
import { Heads, round } from 'probity/html';
import type { ServerDetails } from 'probity/model';
import { percentWords } from './figures.tsx';

type Days = ServerDetails['uptimeByDay'];

const WIDTH = 720;
const GAP = 4;
const BASE = 64;
const TOP = 2;
/** A day below this uptime is marked as bad. */
const GOOD_PERCENTAGE = 99;
const MIN_SHARE = 0.06;

/** A bar for each day, as high as the share of the observed time in which the server was up. */
export function UptimePicture({ days }: { readonly days: Days }): VNode {
  const step = (WIDTH + GAP) / Math.max(1, days.length);
  return (
    <figure class="uptime">
      <svg
        preserveAspectRatio="none"
        viewBox={`0 0 ${WIDTH} ${BASE + 1}`}
        role="img"
        aria-label={wordsOf(days)}
      >
        <line class="base" x1="0" x2={WIDTH} y1={BASE} y2={BASE} />
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
