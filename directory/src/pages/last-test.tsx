import type { VNode } from 'preact';
import {
  Counts,
  FixFirst,
  judgementView,
  MeasuredTimes,
  Pairs,
  Requirements,
  Sign,
  verdictWord,
  verdictWords,
} from 'probity/html';
import type { EntryView } from './entry-view.ts';
import { Moment } from './figures.tsx';

/** The last test result, in the layout of a report. */
export function LastTest({ entry }: { readonly entry: EntryView }): VNode {
  const { lastResult: result, testStartedAt } = entry;
  return (
    <>
      <section id="test" aria-labelledby="test-title">
        <h2 id="test-title">Last test</h2>
        {testStartedAt === null ? null : (
          <p class="box">
            A test is running. It started at <Moment at={testStartedAt} />.
          </p>
        )}
        {result === null ? <p class="empty">This server has not been tested yet.</p> : null}
        {result === null ? null : (
          <div class={`verdict ${result.reachable ? result.verdict : 'fail'}`}>
            <p class="outcome">
              <span class="word">
                <Sign mark={result.reachable ? result.verdict : 'fail'} /> {verdictWord(result)}
              </span>
            </p>
            <p>{verdictWords({ ...result, ...result.judgement })}</p>
            <p class="about">
              <Moment at={result.startedAt} />, {(result.durationMs / 1000).toFixed(1)} s,{' '}
              {result.harness.name} {result.harness.version}
            </p>
            <Counts summary={result.summary} />
          </div>
        )}
      </section>
      {result === null ? null : (
        <>
          <FixFirst view={judgementView(result.judgement)} />
          <details class="whole">
            <summary>All {result.judgement.results.length} requirements</summary>
            <Requirements view={judgementView(result.judgement)} />
          </details>
          {result.measured.length === 0 ? null : (
            <section id="latency" aria-labelledby="latency-title">
              <h2 id="latency-title">Response times in the last test</h2>
              <MeasuredTimes measured={result.measured} />
            </section>
          )}
          {result.facts.length === 0 ? null : (
            <section id="facts" aria-labelledby="facts-title">
              <h2 id="facts-title">Other facts</h2>
              <Pairs pairs={result.facts.map(({ name, text }) => [name, text])} />
            </section>
          )}
        </>
      )}
    </>
  );
}
