import type { VNode } from 'preact';
import type { EntryView } from './entry-view.ts';
import { TimesPicture } from './times-picture.tsx';
import { UptimePicture } from './uptime-picture.tsx';

/** Uptime and response times as they were observed, as pictures. */
export function Observed({ entry: { uptimeByDay, responseTimes } }: { readonly entry: EntryView }): VNode {
  const isObserved = uptimeByDay.some(({ uptime }) => uptime !== null);
  return (
    <section id="observed" aria-labelledby="observed-title">
      <h2 id="observed-title">What was observed</h2>
      <h3>Uptime of 30 days</h3>
      {isObserved ? (
        <UptimePicture days={uptimeByDay} />
      ) : (
        <p class="empty">Nothing yet: the directory has not asked this server.</p>
      )}
      <h3>Response times of 7 days</h3>
      {responseTimes.length === 0 ? (
        <p class="empty">Nothing yet: no call of the directory was answered.</p>
      ) : (
        <>
          <p>
            Of all successful calls of the directory. A percentile is left out where there are too few calls
            for it.
          </p>
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
