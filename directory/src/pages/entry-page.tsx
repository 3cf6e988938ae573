import type { VNode } from 'preact';
import { Command, OUTCOME_WORDS } from 'probity/html';
import type { ListingEvidence, ListingRow } from 'probity/model';
import { ContractHistory } from './contract.tsx';
import type { EntryView } from './entry-view.ts';
import { badgeMessage, DecisionMark, Fold, Section } from './figures.tsx';
import { Functions, functionsTitle, readCommand } from './functions.tsx';
import { Layout } from './layout.tsx';
import { Observed } from './observed.tsx';
import { Record, Standing } from './standing.tsx';
import { History, LastTest } from './test-history.tsx';

export function EntryPage({
  entry,
  isPublic,
  signedIn,
}: Readonly<{ entry: EntryView; isPublic: boolean; signedIn: boolean }>): VNode {
  const isListed = entry.listing.decision === 'list';
  return (
    <Layout
      title={entry.name}
      signedIn={signedIn}
      description={entry.description.slice(0, MAX_DESCRIPTION)}
      canonical={entry.pageUrl}
      feed={`/servers/${entry.id}/feed.atom`}
    >
      <Standing entry={entry} />
      <Contents entry={entry} />
      {isListed ? null : <ListingState entry={entry} />}
      <Functions entry={entry} />
      <Observed entry={entry} />
      <ContractHistory entry={entry} />
      <Record entry={entry} />
      <LastTest entry={entry} />
      {isListed ? <ListingState entry={entry} /> : null}
      <History entry={entry} />
      <Embed entry={entry} isPublic={isPublic} />
    </Layout>
  );
}

/** Search engines show about so many characters. */
const MAX_DESCRIPTION = 300;

function Contents({ entry }: { readonly entry: EntryView }): VNode {
  const isListed = entry.listing.decision === 'list';
  const sections = [
    ...(isListed ? [] : [['listing', 'Listing'] as const]),
    ['functions', functionsTitle(entry)],
    ['observed', 'Uptime and response times'],
    ...(entry.contracts.length === 0 ? [] : [['contract', 'Contract'] as const]),
    ['record', 'About this server'],
    ['test', 'Last test'],
    ...(isListed ? [['listing', 'Listing'] as const] : []),
    ...(entry.history.length === 0 ? [] : [['history', 'Test history'] as const]),
    ['badge', 'Badge and API'],
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

/** The badge for other sites, and the API address of the entry. */
function Embed({ entry, isPublic }: { readonly entry: EntryView; readonly isPublic: boolean }): VNode {
  const { id, pageUrl, apiUrl } = entry;
  const badgeUrl = `${pageUrl}/badge.svg`;
  return (
    <Fold id="badge" title="Badge and API">
      <p>
        <img class="badge" src={`/servers/${id}/badge.svg`} alt={`MCP: ${badgeMessage(entry)}`} height={20} />
      </p>
      <p>
        {isPublic
          ? 'You can embed it anywhere. It shows the current state of this entry.'
          : 'The pages and badges of this directory require an API key. On other sites the badge stays empty until the operator makes the pages public.'}
      </p>
      <Command label="Markdown" text={`[![MCP directory](${badgeUrl})](${pageUrl})`} />
      <Command
        label="HTML"
        text={`<a href="${pageUrl}"><img src="${badgeUrl}" alt="MCP directory" height="20"></a>`}
      />
      <p>
        The API returns everything on this page as JSON. It requires an API key;{' '}
        <a href="/v1/openapi.json">its OpenAPI document</a> does not.
      </p>
      <Command label="This entry" text={readCommand(apiUrl)} />
    </Fold>
  );
}

const MAX_EVIDENCE = 30;

/** The listing decision and its reasons: the listing requirements with their evidence. */
function ListingState({ entry: { listing } }: { readonly entry: EntryView }): VNode {
  const { decision, awaitsFigures, decidedBy, reason, rows } = listing;
  const who = decidedBy === 'operator' ? 'the operator' : 'the listing checks';
  const decided = `${awaitsFigures ? 'approved' : 'decided'} by ${who}`;
  const reasons = (
    <>
      {reason === null ? null : (
        <p>
          <b>The operator says:</b> {reason}
        </p>
      )}
      {rows.length === 0 ? <p class="empty">The listing requirements have not been checked yet.</p> : null}
      {rows.map((row) => (
        <Requirement key={row.requirement} row={row} />
      ))}
    </>
  );
  // Who looks for the reasons of an entry that is not listed has no other question.
  return decision === 'list' ? (
    <Fold id="listing" title="Listing" words={`listed, ${decided}`}>
      {reasons}
    </Fold>
  ) : (
    <Section id="listing" title="Listing">
      <p>
        <DecisionMark of={listing} /> {decided}
      </p>
      {reasons}
    </Section>
  );
}

function Requirement({
  row: { requirement, level, outcome, evidence },
}: Readonly<{ row: ListingRow }>): VNode {
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
