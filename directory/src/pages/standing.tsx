import type { VNode } from 'preact';
import { Sign } from 'probity/html';
import type { EntryView } from './entry-view.ts';
import { DECISIONS, DecisionMark, Figure, msWords, Pair, percentWords } from './figures.tsx';
import { Labels, Seals } from './found-entry.tsx';
import { Address } from './visible-text.tsx';

const STATUS = {
  up: { sign: 'pass', words: 'Up', mark: 'passed', said: 'Up at the last observation.' },
  down: { sign: 'fail', words: 'Down', mark: 'failed', said: 'Down at the last observation.' },
  unknown: { sign: 'incomplete', words: 'Unknown', mark: 'inapplicable', said: 'Not observed yet.' },
} as const;

/** The summary of an entry: its description, state, figures and listing decision. */
export function Standing({ entry }: { readonly entry: EntryView }): VNode {
  const { listing, status, uptime, responseTime, figures } = entry;
  const { sign, words, mark, said } = STATUS[status];
  return (
    <div class={`verdict standing ${DECISIONS[listing.decision].kind}`}>
      {listing.decision === 'list' ? null : <NotListed entry={entry} />}
      <h1>
        <span class="name" dir="auto">
          {entry.name}
        </span>
        <span class={`mark ${mark}`} title={said}>
          <Sign mark={sign} /> {words}
        </span>
      </h1>
      <p class="words" dir="auto">
        {entry.description}
      </p>
      <Seals audited={entry.audited} openSource={entry.openSource} />
      <dl class="figures">
        <Figure name="Uptime" words={uptime === null ? null : percentWords(uptime)} figures={figures} />
        <Figure
          name="Response time"
          words={responseTime === null ? null : msWords(responseTime)}
          figures={figures}
        />
        <Pair name="Listing">{DECISIONS[listing.decision].words}</Pair>
      </dl>
      <p class="about">{figuresWords(entry)}</p>
      <p class="endpoint">
        <span class="label">Endpoint</span> <Address text={entry.endpoint} />
      </p>
      <Labels category={entry.category} tags={entry.tags} />
    </div>
  );
}

function NotListed({ entry: { listing } }: { readonly entry: EntryView }): VNode {
  return (
    <p class="decision">
      <DecisionMark decision={listing.decision} />{' '}
      {listing.decision === 'hold'
        ? 'Searches do not show this entry: not every listing requirement is decided yet.'
        : 'Searches do not show this entry: it does not meet the listing requirements.'}{' '}
      <a href="#listing">Why</a>
    </p>
  );
}

function figuresWords({ figures, uptime, responseTime }: EntryView): string {
  if (uptime === null && responseTime === null)
    return 'No figures yet: nothing has been observed, and the listing claims none.';
  return figures === 'claimed'
    ? 'Claimed by its author, not observed yet.'
    : 'Observed: uptime over 30 days, response time as the median of the successful calls over 7 days.';
}
