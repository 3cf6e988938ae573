import type { VNode } from 'preact';
import { OUTCOME_WORDS } from 'probity/html';
import type { ListingEvidence, ListingRow } from 'probity/model';
import type { EntryView } from './entry-view.ts';
import { DECISION_MARKS, DECISION_WORDS } from './standing.tsx';

const MAX_EVIDENCE = 30;

/** The listing decision and its reasons: the listing requirements with their evidence. */
export function ListingState({ entry: { listing } }: { readonly entry: EntryView }): VNode {
  const { decision, decidedBy, rows } = listing;
  return (
    <section id="listing" aria-labelledby="listing-title">
      <h2 id="listing-title">Listing</h2>
      <p>
        <span class={`mark ${DECISION_MARKS[decision]}`}>{DECISION_WORDS[decision]}</span>{' '}
        {decidedBy === 'operator' ? 'decided by the operator' : 'decided by the listing checks'}
      </p>
      {rows.length === 0 ? <p class="empty">The listing requirements have not been checked yet.</p> : null}
      {rows.map((row) => (
        <Requirement key={row.requirement} row={row} />
      ))}
    </section>
  );
}

function Requirement({
  row: { requirement, level, outcome, evidence },
}: {
  readonly row: ListingRow;
}): VNode {
  const kind = outcome === 'failed' && level !== 'MUST' ? 'warning' : outcome;
  return (
    <div class={`broken ${kind}`}>
      <h3>
        <span class={`mark ${kind}`}>{OUTCOME_WORDS[outcome]}</span> <code class="id">{requirement}</code>{' '}
        <span class="level">{level}</span>
      </h3>
      <ul class="found">
        {evidence.slice(0, MAX_EVIDENCE).map((one, index) => (
          <li key={index}>
            <b>{KIND_WORDS[one.kind]}:</b> {one.text}
            {one.kind === 'found' ? null : <span class="reason">{one.remedy}</span>}
          </li>
        ))}
        {evidence.length > MAX_EVIDENCE ? (
          <li>and {evidence.length - MAX_EVIDENCE} more, in the JSON of the API</li>
        ) : null}
      </ul>
    </div>
  );
}

const KIND_WORDS: Readonly<Record<ListingEvidence['kind'], string>> = {
  found: 'Found',
  missing: 'Missing',
  undecided: 'Undecided',
};
