import type { VNode } from 'preact';
import { CLIENTS_TITLE, Command, OUTCOME_WORDS } from 'probity/html';
import type { ListingEvidence, ListingRow } from 'probity/model';
import { ContractHistory } from './contract.tsx';
import type { EntryView } from './entry-view.ts';
import { badgeMessage, DecisionMark, Section } from './figures.tsx';
import { Functions, readCommand } from './functions.tsx';
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
    <Layout title={entry.name} signedIn={signedIn}>
      <Standing entry={entry} />
      <Contents entry={entry} />
      {isListed ? null : <ListingState entry={entry} />}
      <Observed entry={entry} />
      <Functions functions={entry.functions} moreFunctions={entry.moreFunctions} />
      <ContractHistory entry={entry} />
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
    ...(entry.contracts.length === 0 ? [] : [['contract', 'Contract'] as const]),
    ...((entry.lastResult?.clientView?.functions ?? 0) === 0 ? [] : [['clients', CLIENTS_TITLE] as const]),
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

/** The badge for other sites, and the API address of the entry. */
function Embed({ entry, isPublic }: { readonly entry: EntryView; readonly isPublic: boolean }): VNode {
  const { id, pageUrl, apiUrl } = entry;
  const badgeUrl = `${pageUrl}/badge.svg`;
  return (
    <>
      <Section id="badge" title="Badge">
        <p>
          <img
            class="badge"
            src={`/servers/${id}/badge.svg`}
            alt={`MCP: ${badgeMessage(entry)}`}
            height={20}
          />
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
      </Section>
      <Section id="api" title="API">
        <p>
          The API returns everything on this page as JSON. It requires an API key;{' '}
          <a href="/v1/openapi.json">its OpenAPI document</a> does not.
        </p>
        <Command label="This entry" text={readCommand(apiUrl)} />
      </Section>
    </>
  );
}

const MAX_EVIDENCE = 30;

/** The listing decision and its reasons: the listing requirements with their evidence. */
function ListingState({ entry: { listing } }: { readonly entry: EntryView }): VNode {
  const { decision, decidedBy, rows } = listing;
  return (
    <Section id="listing" title="Listing">
      <p>
        <DecisionMark decision={decision} />{' '}
        {decidedBy === 'operator' ? 'decided by the operator' : 'decided by the listing checks'}
      </p>
      {rows.length === 0 ? <p class="empty">The listing requirements have not been checked yet.</p> : null}
      {rows.map((row) => (
        <Requirement key={row.requirement} row={row} />
      ))}
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
