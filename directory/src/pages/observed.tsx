import type { VNode } from 'preact';
import type { EntryView } from './entry-view.ts';
import { percentWords } from './figure-words.ts';
import { TimesPicture } from './times-picture.tsx';
import { UptimePicture } from './uptime-picture.tsx';

/** Charts of the observed uptime and response times. */
export function Observed({
  entry: { uptimeByDay, uptimeCoverage, responseTimes },
}: {
  readonly entry: EntryView;
}): VNode {
  const isObserved = uptimeByDay.some(({ uptime }) => uptime !== null);
  return (
    <section id="observed" aria-labelledby="observed-title">
      <h2 id="observed-title">Uptime and response times</h2>
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
    </section>
  );
}
