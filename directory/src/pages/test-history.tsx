import type { VNode } from 'preact';
import {
  CLIENTS_TITLE,
  Clients,
  Counts,
  clientsViewOf,
  FixFirst,
  judgementView,
  labelOf,
  MeasuredTimes,
  Pairs,
  Requirements,
  Sign,
  verdictWord,
  verdictWords,
} from 'probity/html';
import type { ResultSummary } from 'probity/model';
import type { EntryView } from './entry-view.ts';
import { DECISIONS, Fold, Moment, Section, Table } from './figures.tsx';

/** The last test result, in the layout of a report. */
export function LastTest({ entry }: { readonly entry: EntryView }): VNode {
  const { lastResult: result, testStartedAt } = entry;
  return (
    <>
      <Section id="test" title="Last test">
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
      </Section>
      {result === null ? null : (
        <>
          <FixFirst view={judgementView(result.judgement)} />
          <WhatClientsSee entry={entry} />
          <Fold id="all" title={`All ${result.judgement.results.length} requirements`}>
            <Requirements view={judgementView(result.judgement)} />
          </Fold>
          {result.measured.length === 0 ? null : (
            <Fold id="latency" title="Response times in the last test">
              <MeasuredTimes
                measured={result.measured.map((times) => ({
                  ...times,
                  label: labelOf(result.judgement, times),
                }))}
              />
            </Fold>
          )}
          {result.facts.length === 0 ? null : (
            <Fold id="facts" title="Other facts">
              <Pairs pairs={result.facts.map(({ name, text }) => [name, text])} />
            </Fold>
          )}
        </>
      )}
    </>
  );
}

function WhatClientsSee({ entry: { lastResult, protocol } }: { readonly entry: EntryView }): VNode | null {
  if (lastResult?.clientView === undefined) return null;
  const settings = protocol === 'mcp' ? { mcp: {} } : {};
  const view = clientsViewOf(
    { clientView: lastResult.clientView, settings },
    judgementView(lastResult.judgement),
  );
  return view === null ? null : (
    <Fold id="clients-part" title={CLIENTS_TITLE} words={view.lines[0]?.[1]}>
      <Clients view={view} />
    </Fold>
  );
}

const MAX_RESULTS = 50;
const HISTORY_HEADS = [
  'Started',
  'Verdict',
  'Listing',
  'Passed',
  'Failed',
  'Warnings',
  'Undecided',
  'Duration',
];
const MARKS = { pass: 'passed', fail: 'failed', incomplete: 'warning' } as const;

export function History({ entry: { history } }: { readonly entry: EntryView }): VNode | null {
  if (history.length === 0) return null;
  return (
    <Fold
      id="history"
      title="Test history"
      words={history.length === 1 ? 'one test' : `the last ${history.length} tests`}
    >
      <Table label="Table of the tests" caption="Newest first" heads={HISTORY_HEADS}>
        {history.slice(0, MAX_RESULTS).map((result) => (
          <Line key={result.id} result={result} />
        ))}
      </Table>
      {history.length > MAX_RESULTS ? (
        <p>and {history.length - MAX_RESULTS} more, in the JSON of the API</p>
      ) : null}
    </Fold>
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
      <td>{DECISIONS[decision].words}</td>
      <td>{summary.passed}</td>
      <td>{summary.failed}</td>
      <td>{summary.warnings}</td>
      <td>{summary.undecided}</td>
      <td>{(durationMs / 1000).toFixed(1)} s</td>
    </tr>
  );
}
