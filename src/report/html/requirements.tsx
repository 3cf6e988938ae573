import type { VNode } from 'preact';
import type { AreaView, JudgementView, RequirementView } from '../view/judgement-view.ts';
import { OUTCOME_WORDS, ROW_STATES } from '../view/words.ts';
import { anchorOf } from './fix-first.tsx';
import { Prose } from './prose.tsx';

export function Requirements({ view }: { readonly view: JudgementView }): VNode | null {
  const { requirements, areas, toFix } = view;
  if (requirements.length === 0) return null;
  const linked = new Set(toFix.map(({ id }) => id));
  const present = ROW_STATES.filter((kind) => requirements.some(({ state }) => state === kind));
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
      {areas.map((area) => (
        <Area key={area.name} area={area} linked={linked} />
      ))}
    </section>
  );
}

function Area({
  area: { name, requirements, counts },
  linked,
}: {
  readonly area: AreaView;
  readonly linked: ReadonlySet<string>;
}): VNode {
  const passed = counts.find(({ state }) => state === 'passed')?.count ?? 0;
  return (
    <section class="scroll" aria-label={`Requirements of ${name}`} tabIndex={0} data-area>
      <table class="rows">
        <caption>{`${name}: ${passed} of ${requirements.length} passed`}</caption>
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">Requirement</th>
            <th scope="col">Level</th>
            <th scope="col">Section</th>
          </tr>
        </thead>
        <tbody>
          {requirements.map((one) => (
            <Requirement key={one.id} requirement={one} isLinked={linked.has(one.id)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Requirement({
  requirement: { id, state, word, text, note, level, section },
  isLinked,
}: {
  readonly requirement: RequirementView;
  readonly isLinked: boolean;
}): VNode {
  const code = <code class="id">{id}</code>;
  return (
    <tr data-kind={state}>
      <td>
        <span class={`mark ${state}`}>{word}</span>
      </td>
      <th scope="row">
        {isLinked ? <a href={`#${anchorOf(id)}`}>{code}</a> : code}
        <span class="statement">{text === undefined ? null : <Prose text={text} />}</span>
        {note === '' ? null : <span class="reason">{note}</span>}
      </th>
      <td>{level}</td>
      <td>{section}</td>
    </tr>
  );
}
