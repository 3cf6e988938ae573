import type { VNode } from 'preact';
import type { Summary } from '../../model/report.ts';
import { namesInLine } from '../../text/words.ts';
import type { AreaView, JudgementView } from '../view/judgement-view.ts';
import { type NotExercisedView, type ReportView, remedyWords } from '../view/report-view.ts';
import { andMore, counted, summaryCounts } from '../view/words.ts';
import { anchorOf } from './cards.ts';
import { Heading, List } from './elements.tsx';
import { round } from './picture-frame.ts';

export function Verdict({ view }: { readonly view: ReportView }): VNode {
  const { target, mark, word, words, server, form, startedAt, durationMs, results, summary } = view;
  const time = `${startedAt.slice(0, 10)} ${startedAt.slice(11, 19)} UTC`;
  const about = [server, form, time, `${(durationMs / 1000).toFixed(1)} s`].filter((part) => part !== '');
  return (
    <Heading brand="Probity" mark={mark} sign={mark} word={word} url={target.url}>
      <p class="words">{words}</p>
      <NotExercised functions={view.notExercised} unit={view.unit} />
      <p class="about">{about.join(' · ')}</p>
      {results.length === 0 ? null : <Counts summary={summary} isFilter />}
      {view.reachable ? <Overview areas={view.areas} /> : null}
    </Heading>
  );
}

const MAX_FUNCTIONS = 100;

function NotExercised({
  functions,
  unit,
}: Readonly<{ functions: readonly NotExercisedView[]; unit: string }>): VNode | null {
  if (functions.length === 0) return null;
  const more = functions.length - MAX_FUNCTIONS;
  const count = functions.reduce((sum, { names }) => sum + names.length, 0);
  return (
    <details class="unexercised" open={functions.length <= 5}>
      <summary>{counted(count, unit)} not exercised</summary>
      <List
        items={[
          ...functions.slice(0, MAX_FUNCTIONS).map((group) => (
            <>
              <code>{namesInLine(group.names)}</code>: {group.why}
              <br />
              {remedyWords(group)}
            </>
          )),
          ...(more > 0 ? [andMore(more, unit)] : []),
        ]}
      />
    </details>
  );
}

export function Counts({
  summary,
  isFilter = false,
}: {
  readonly summary: Summary;
  /** Each count links to its requirements; the script makes that a filter. */
  readonly isFilter?: boolean;
}): VNode {
  return (
    <ul class="counts">
      {summaryCounts(summary)
        .filter(({ state, count }) => count > 0 || state === 'failed' || state === 'passed')
        .map(({ state, count, word }) => (
          <li key={state} class={count === 0 ? 'none' : state}>
            {isFilter && count > 0 ? (
              <a href="#requirements" data-show={state}>
                <b>{count}</b> {word}
              </a>
            ) : (
              <>
                <b>{count}</b> {word}
              </>
            )}
          </li>
        ))}
    </ul>
  );
}

function Overview({ areas }: Pick<JudgementView, 'areas'>): VNode | null {
  if (areas.length < 2) return null;
  return (
    <ul class="overview">
      {areas.map((area) => (
        <li key={area.name}>
          <a href={`#${anchorOf('area', area.name)}`}>{area.name}</a> <span class="level">{area.words}</span>
          <Bar area={area} />
        </li>
      ))}
    </ul>
  );
}

/** The words beside it say the same. A style attribute would be against the Content Security Policy. */
function Bar({ area: { counts } }: { readonly area: AreaView }): VNode {
  const shown = counts.filter(({ state, count }) => state !== 'inapplicable' && count > 0);
  const total = shown.reduce((sum, { count }) => sum + count, 0);
  let end = 0;
  return (
    <svg class="share" aria-hidden="true">
      {shown.map(({ state, count }) => {
        const start = end;
        end += (count / total) * 100;
        return <rect key={state} class={state} x={`${round(start)}%`} width={`${round(end - start)}%`} />;
      })}
    </svg>
  );
}
