import type { VNode } from 'preact';
import { verdictWord } from 'probity/html';
import type { ResultSummary } from 'probity/model';
import type { EntryView } from './entry-view.ts';
import { Moment } from './figures.tsx';
import { DECISION_WORDS } from './standing.tsx';

const MAX_RESULTS = 50;
const MARKS = { pass: 'passed', fail: 'failed', incomplete: 'warning' } as const;

export function History({ entry: { history } }: { readonly entry: EntryView }): VNode | null {
  if (history.length === 0) return null;
  return (
    <section id="history" aria-labelledby="history-title">
      <h2 id="history-title">Test history</h2>
      <section class="scroll" aria-label="Table of the tests" tabIndex={0}>
        <table class="history">
          <caption>Newest first</caption>
          <thead>
            <tr>
              <th scope="col">Started</th>
              <th scope="col">Verdict</th>
              <th scope="col">Listing</th>
              <th scope="col">Passed</th>
              <th scope="col">Failed</th>
              <th scope="col">Warnings</th>
              <th scope="col">Undecided</th>
              <th scope="col">Duration</th>
            </tr>
          </thead>
          <tbody>
            {history.slice(0, MAX_RESULTS).map((result) => (
              <Line key={result.id} result={result} />
            ))}
          </tbody>
        </table>
      </section>
      {history.length > MAX_RESULTS ? (
        <p>and {history.length - MAX_RESULTS} more, in the JSON of the API</p>
      ) : null}
    </section>
  );
}

function Line({ result }: { readonly result: ResultSummary }): VNode {
  const { startedAt, verdict, reachable, decision, summary, durationMs } = result;
  return (
    <tr>
      <th scope="row">
        <Moment at={startedAt} />
      </th>
      <td>
        <span class={`mark ${reachable ? MARKS[verdict] : 'failed'}`}>
          {verdictWord(result).toLowerCase()}
        </span>
      </td>
      <td>{DECISION_WORDS[decision]}</td>
      <td>{summary.passed}</td>
      <td>{summary.failed}</td>
      <td>{summary.warnings}</td>
      <td>{summary.undecided}</td>
      <td>{(durationMs / 1000).toFixed(1)} s</td>
    </tr>
  );
}
