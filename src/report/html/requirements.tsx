import type { VNode } from 'preact';
import type { DecidingExchange } from '../view/answers.ts';
import type { JudgementView, RequirementView } from '../view/judgement-view.ts';
import type { ReportView } from '../view/report-view.ts';
import { COUNTED_STATES, countedAs, OUTCOME_WORDS } from '../view/words.ts';
import { anchorOf, exchangeAnchorOf } from './cards.ts';
import { Heads, Prose } from './elements.tsx';

type RequirementsView = JudgementView & Partial<Pick<ReportView, 'evidence' | 'reachable'>>;

export function Requirements({ view }: { readonly view: RequirementsView }): VNode | null {
  const { requirements, areas, toFix, evidence: { deciding } = { deciding: [] }, reachable = true } = view;
  if (requirements.length === 0) return null;
  const linked = new Set(toFix.map(({ id }) => id));
  const evidence = new Map(requirements.map((one, index) => [one, deciding[index] ?? null]));
  const present = COUNTED_STATES.filter((kind) =>
    requirements.some(({ state }) => countedAs(state) === kind),
  );
  return (
    <section id="requirements" aria-labelledby="requirements-title">
      <h2 id="requirements-title">Requirements</h2>
      <form class="filters" hidden data-filters>
        <fieldset>
          <legend>Show</legend>
          {present.map((kind) => (
            <label key={kind}>
              <input type="checkbox" name="kind" value={kind} checked /> {OUTCOME_WORDS[kind]}
            </label>
          ))}
        </fieldset>
        <label class="search">
          Search <input type="search" name="text" autocomplete="off" />
        </label>
        <output data-count />
      </form>
      {areas.map(({ name, requirements: own, words, isMet }) => (
        <details key={name} class="area" id={anchorOf('area', name)} open={reachable && !isMet} data-area>
          <summary>
            <h3>{name}</h3> {words}
          </summary>
          <table class="rows">
            <Heads heads={['Outcome', 'Requirement', 'Level', 'Section']} />
            <tbody>
              {own.map((one) => (
                <Requirement
                  key={one.id}
                  requirement={one}
                  isLinked={linked.has(one.id)}
                  decidedBy={evidence.get(one) ?? null}
                />
              ))}
            </tbody>
          </table>
        </details>
      ))}
    </section>
  );
}

function Requirement({
  requirement,
  isLinked,
  decidedBy,
}: Readonly<{ requirement: RequirementView; isLinked: boolean; decidedBy: DecidingExchange | null }>): VNode {
  const { id, state, word, text, note, level, section } = requirement;
  const code = <code>{id}</code>;
  return (
    <tr id={isLinked ? anchorOf('row', id) : undefined} class={countedAs(state)}>
      <td>
        <b>{word}</b>
      </td>
      <th scope="row">
        {isLinked ? <a href={`#${anchorOf('fix', id)}`}>{code}</a> : code}
        {text === undefined ? null : (
          <p>
            <Prose text={text} />
          </p>
        )}
        {note === '' ? null : <span class="reason">{note}</span>}
        {decidedBy === null ? null : <a href={`#${exchangeAnchorOf(decidedBy.index)}`}>{decidedBy.words}</a>}
      </th>
      <td>{level}</td>
      <td>{section}</td>
    </tr>
  );
}
