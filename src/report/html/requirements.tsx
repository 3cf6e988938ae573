import type { VNode } from 'preact';
import { groupedBy } from '../../model/grouped-by.ts';
import type { Row } from '../../model/judgement.ts';
import { areaOf, OUTCOME_WORDS, type RowState, sectionWords, stateOf } from '../view/words.ts';
import { anchorOf } from './mend-first.tsx';
import type { VisibleJudgement } from './visible-result.ts';

const KINDS = [
  'failed',
  'warning',
  'blocked',
  'inconclusive',
  'accepted',
  'passed',
  'inapplicable',
] as const satisfies readonly RowState[];

export function Requirements({ result }: { readonly result: VisibleJudgement }): VNode | null {
  const { results } = result;
  if (results.length === 0) return null;
  const kinds = new Map(results.map((row) => [row.id, stateOf(row, result)]));
  const present = KINDS.filter((kind) => [...kinds.values()].includes(kind));
  return (
    <section id="requirements" aria-labelledby="requirements-title">
      <h2 id="requirements-title">Requirements</h2>
      <form class="filters" hidden data-filters>
        <fieldset>
          <legend>Show</legend>
          {present.map((kind) => (
            <label key={kind}>
              <input type="checkbox" name="kind" value={kind} checked /> {wordsOf(kind)}
            </label>
          ))}
        </fieldset>
        <label class="search">
          Search <input type="search" name="text" autocomplete="off" />
        </label>
        <output data-count />
      </form>
      {[...groupedBy(results, ({ id }) => areaOf(id))].map(([area, rows]) => (
        <Area key={area} area={area} rows={rows} kinds={kinds} />
      ))}
    </section>
  );
}

function Area({
  area,
  rows,
  kinds,
}: {
  readonly area: string;
  readonly rows: readonly Row[];
  readonly kinds: ReadonlyMap<string, RowState>;
}): VNode {
  const title = `${area}: ${rows.filter(({ outcome }) => outcome === 'passed').length} of ${rows.length} passed`;
  return (
    <section class="scroll" aria-label={`Requirements of ${area}`} tabIndex={0} data-area>
      <table class="rows">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">Requirement</th>
            <th scope="col">Level</th>
            <th scope="col">Section</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const kind = kinds.get(row.id) ?? row.outcome;
            return (
              <tr key={row.id} data-kind={kind}>
                <td>
                  <span class={`mark ${kind}`}>{wordsOf(kind)}</span>
                </td>
                <th scope="row">
                  {kind === 'passed' || kind === 'inapplicable' || kind === 'accepted' ? (
                    <code class="id">{row.id}</code>
                  ) : (
                    <a href={`#${anchorOf(row.id)}`}>
                      <code class="id">{row.id}</code>
                    </a>
                  )}
                  <span class="statement">{row.text}</span>
                  {row.reason === undefined ? null : <span class="reason">{row.reason}</span>}
                  {row.blockedBy === undefined ? null : (
                    <span class="reason">
                      by <code>{row.blockedBy}</code>, which is not met
                    </span>
                  )}
                </th>
                <td>{row.level}</td>
                <td>{sectionWords(row.spec)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function wordsOf(kind: RowState): string {
  return kind === 'warning' || kind === 'accepted' ? kind : OUTCOME_WORDS[kind];
}
