import type { VNode } from 'preact';
import type { AreaView, JudgementView } from '../view/judgement-view.ts';
import { areaAnchorOf } from './cards.ts';
import { round } from './picture-frame.ts';

/** A bar for each area, with a link to it. */
export function Overview({ areas }: Pick<JudgementView, 'areas'>): VNode | null {
  if (areas.length < 2) return null;
  return (
    <ul class="overview">
      {areas.map((area) => (
        <li key={area.name}>
          <a href={`#${areaAnchorOf(area.name)}`}>{area.name}</a> <span class="level">{area.words}</span>
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
