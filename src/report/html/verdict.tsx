import type { VNode } from 'preact';
import type { Summary } from '../../model/report.ts';
import { verdictWord, verdictWords } from '../view/words.ts';
import type { VisibleResult } from './visible-result.ts';

export const SIGNS = { pass: '✓', fail: '✕', incomplete: '?' } as const;

interface Section {
  readonly id: string;
  readonly name: string;
}

export function Verdict({
  result,
  sections,
}: {
  readonly result: VisibleResult;
  readonly sections: readonly Section[];
}): VNode {
  const { target, reachable, verdict, bench, startedAt, durationMs } = result;
  const kind = reachable ? verdict : 'fail';
  const { capabilities, execute } = target.form;
  const form = capabilities === execute ? `form ${capabilities}` : `forms ${capabilities} and ${execute}`;
  const about = [
    target.name === undefined ? '' : `${target.name} ${target.version ?? ''}`.trim(),
    capabilities === null ? '' : form,
    `${startedAt.slice(0, 10)} ${startedAt.slice(11, 19)} UTC`,
    `${(durationMs / 1000).toFixed(1)} s`,
  ].filter((part) => part !== '');
  return (
    <header class={bench === undefined ? `verdict ${kind}` : 'verdict'}>
      <p class="brand">Probity</p>
      <h1>
        {bench === undefined ? (
          <span class="word">
            <span aria-hidden="true">{SIGNS[kind]}</span> {verdictWord(result)}
          </span>
        ) : (
          <span class="word">Response times under load</span>
        )}
        <span class="url">{target.url}</span>
      </h1>
      {bench === undefined ? <p class="words">{verdictWords(result)}</p> : null}
      <p class="about">{about.join(' · ')}</p>
      {result.results.length === 0 ? null : <Counts summary={result.summary} />}
      <nav aria-label="Sections">
        <ul>
          {sections.map(({ id, name }) => (
            <li key={id}>
              <a href={`#${id}`}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}

export function Counts({ summary }: { readonly summary: Summary }): VNode {
  const counts = [
    ['failed', 'failed', summary.failed],
    ['warning', summary.warnings === 1 ? 'warning' : 'warnings', summary.warnings],
    ['blocked', 'blocked', summary.blocked],
    ['inconclusive', 'inconclusive', summary.inconclusive],
    ['accepted', 'accepted', summary.accepted ?? 0],
    ['passed', 'passed', summary.passed],
    ['inapplicable', 'not applicable', summary.inapplicable],
  ] as const;
  return (
    <ul class="counts">
      {counts
        .filter(([kind, , count]) => count > 0 || kind === 'failed' || kind === 'passed')
        .map(([kind, words, count]) => (
          <li key={kind} class={kind}>
            <b>{count}</b> {words}
          </li>
        ))}
    </ul>
  );
}
