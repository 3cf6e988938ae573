import type { VNode } from 'preact';
import { FLAKY_TITLE, LATENCY_TITLE, type RunLine, type TrendView } from '../view/trend-view.ts';
import { counted } from '../view/words.ts';
import { Page } from './page.tsx';
import { Arrows } from './sign.tsx';
import { TrendPicture } from './trend-picture.tsx';

export function trendPage(trends: readonly TrendView[], skipped: readonly string[]): VNode {
  return (
    <Page title="Trend">
      <header class="verdict measured">
        <p class="brand">Probity trend</p>
        <h1>
          <span class="word">{counted(trends.length, 'target')}</span>
        </h1>
      </header>
      <main id="content" tabIndex={-1}>
        {trends.map((view, index) => (
          <Target key={view.url} view={view} name={`target-${index + 1}`} />
        ))}
        {skipped.length === 0 ? null : (
          <section aria-labelledby="skipped-title">
            <h2 id="skipped-title">Skipped files</h2>
            <ul>
              {skipped.map((words, index) => (
                <li key={index}>{words}</li>
              ))}
            </ul>
          </section>
        )}
      </main>
    </Page>
  );
}

function Target({
  view: { url, about, runs, latency, flaky },
  name,
}: {
  readonly view: TrendView;
  readonly name: string;
}): VNode {
  return (
    <section aria-labelledby={name}>
      <h2 id={name}>{url}</h2>
      <p>{about}</p>
      <Runs runs={runs} label={`Runs of ${url}`} />
      {flaky.length === 0 ? null : (
        <div class="box warning">
          <h3>{FLAKY_TITLE}</h3>
          <ul>
            {flaky.map(({ id, words }) => (
              <li key={id}>
                <code>{id}</code> {words}
              </li>
            ))}
          </ul>
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

/** The classes of the report’s outcomes, which have the same colours. */
const CLASSES: Readonly<Record<RunLine['mark'], string>> = {
  pass: 'passed',
  fail: 'failed',
  unreachable: 'failed',
  incomplete: 'undecided',
  measured: 'inapplicable',
};

/** Newest first, because that is read first. */
function Runs({ runs, label }: { readonly runs: readonly RunLine[]; readonly label: string }): VNode {
  return (
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="times">
        <thead>
          <tr>
            <th scope="col">Run (UTC)</th>
            <th scope="col">Verdict</th>
            <th scope="col">Requirements</th>
            <th scope="col">p95, ms</th>
            <th scope="col">Changes since the run before</th>
          </tr>
        </thead>
        <tbody>
          {runs.toReversed().map(({ id, date, mark, counts, p95, changes }) => (
            <tr key={id}>
              <th scope="row" class="date">
                {date}
              </th>
              <td>
                <span class={`mark ${CLASSES[mark]}`}>{mark}</span>
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
        </tbody>
      </table>
    </section>
  );
}
