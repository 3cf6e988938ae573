import type { VNode } from 'preact';
import { Embed } from './embed.tsx';
import type { EntryView } from './entry-view.ts';
import { Functions } from './functions.tsx';
import { History } from './history.tsx';
import { LastTest } from './last-test.tsx';
import { Layout } from './layout.tsx';
import { ListingState } from './listing-state.tsx';
import { Observed } from './observed.tsx';
import { Record } from './record.tsx';
import { Standing } from './standing.tsx';

export function EntryPage({
  entry,
  isPublic,
  signedIn,
}: {
  readonly entry: EntryView;
  readonly isPublic: boolean;
  readonly signedIn: boolean;
}): VNode {
  const isListed = entry.listing.decision === 'list';
  return (
    <Layout title={entry.name} signedIn={signedIn}>
      <Standing entry={entry} />
      <Contents entry={entry} />
      {isListed ? null : <ListingState entry={entry} />}
      <Observed entry={entry} />
      <Functions entry={entry} />
      <Record entry={entry} />
      <LastTest entry={entry} />
      {isListed ? <ListingState entry={entry} /> : null}
      <History entry={entry} />
      <Embed entry={entry} isPublic={isPublic} />
    </Layout>
  );
}

function Contents({ entry }: { readonly entry: EntryView }): VNode {
  const isListed = entry.listing.decision === 'list';
  const sections = [
    ...(isListed ? [] : [['listing', 'Listing'] as const]),
    ['observed', 'Uptime and response times'],
    ['functions', 'Functions'],
    ['record', 'About this server'],
    ['test', 'Last test'],
    ...(isListed ? [['listing', 'Listing'] as const] : []),
    ...(entry.history.length === 0 ? [] : [['history', 'Test history'] as const]),
    ['badge', 'Badge'],
    ['api', 'API'],
  ] as const;
  return (
    <nav class="contents" aria-label="Sections">
      <ul>
        {sections.map(([id, name]) => (
          <li key={id}>
            <a href={`#${id}`}>{name}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
