import type { VNode } from 'preact';
import {
  Counts,
  MeasuredTimes,
  MendFirst,
  Pairs,
  Requirements,
  SIGNS,
  verdictWord,
  verdictWords,
} from 'probity/html';
import type { EntryView } from './entry-view.ts';
import { Moment } from './moment.tsx';

/** The last test result, as the report shows one. */
export function LastTest({ entry }: { readonly entry: EntryView }): VNode {
  const { lastResult: result, testStartedAt } = entry;
  return (
    <>
      <section id="test" aria-labelledby="test-title">
        <h2 id="test-title">The last test</h2>
        {testStartedAt === null ? null : (
          <p class="box">
            A test is under way, since <Moment at={testStartedAt} />.
          </p>
        )}
        {result === null ? <p class="empty">This server was not tested yet.</p> : null}
        {result === null ? null : (
          <div class={`verdict ${result.reachable ? result.verdict : 'fail'}`}>
            <p class="outcome">
              <span class="word">
                <span aria-hidden="true">{SIGNS[result.reachable ? result.verdict : 'fail']}</span>{' '}
                {verdictWord(result)}
              </span>
            </p>
            <p>{verdictWords(result)}</p>
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
          <MendFirst result={result.judgement} />
          <details class="whole">
            <summary>All {result.judgement.results.length} requirements, one by one</summary>
            <Requirements result={result.judgement} />
          </details>
          {result.measured.length === 0 ? null : (
            <section id="latency" aria-labelledby="latency-title">
              <h2 id="latency-title">Response times in the last test</h2>
              <MeasuredTimes measured={result.measured} />
            </section>
          )}
          {result.facts.length === 0 ? null : (
            <section id="facts" aria-labelledby="facts-title">
              <h2 id="facts-title">What was learned besides</h2>
              <Pairs pairs={result.facts.map(({ name, text }) => [name, text])} />
            </section>
          )}
        </>
      )}
    </>
  );
}
