import type { ComponentChildren, VNode } from 'preact';
import type { EntryView } from './entry-view.ts';
import {
  Address,
  DecisionMark,
  decisionShown,
  Figure,
  MCP_WORDS,
  Moment,
  msWords,
  Pair,
  percentWords,
  Section,
} from './figures.tsx';
import { Labels, Seals } from './found-entry.tsx';
import { StateMark, StateReasons } from './state.tsx';

/** The summary of an entry: its description, state, figures and listing decision. */
export function Standing({ entry }: { readonly entry: EntryView }): VNode {
  const { listing, status, uptime, responseTime, figures } = entry;
  return (
    <div class={`verdict standing ${decisionShown(listing).kind}`}>
      {listing.decision === 'list' ? null : <NotListed entry={entry} />}
      <h1>
        <span class="name" dir="auto">
          {entry.name}
        </span>
        <StateMark status={status} />
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
        <Pair name="Listing">{decisionShown(listing).words}</Pair>
      </dl>
      <p class="about">{figuresWords(entry)}</p>
      <StateReasons entry={entry} />
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
      <DecisionMark of={listing} /> Searches do not show this entry: {whyNotListed(listing)}.{' '}
      <a href="#listing">Why</a>
    </p>
  );
}

function whyNotListed({ decision, awaitsFigures, decidedBy }: EntryView['listing']): string {
  if (awaitsFigures)
    return `${decidedBy === 'operator' ? 'the operator of this directory approved it' : 'it meets the listing requirements'}, and its uptime and its response time are not measured yet`;
  if (decidedBy === 'operator')
    return `the operator of this directory ${decision === 'hold' ? 'put it on hold' : 'rejected it'}`;
  return decision === 'hold'
    ? 'not every listing requirement is decided yet'
    : 'it does not meet the listing requirements';
}

function figuresWords({ figures, uptime, responseTime }: EntryView): string {
  if (uptime === null && responseTime === null)
    return 'No figures yet: nothing has been observed, and the listing claims none.';
  return figures === 'claimed'
    ? 'Claimed by its author, not observed yet.'
    : 'Observed: uptime over 30 days, response time as the median of the successful calls over 7 days.';
}

/** The author's description of the server, and when it was added. */
export function Record({ entry }: { readonly entry: EntryView }): VNode {
  const { author, form, protocol } = entry;
  const { auditReport, build, deployment, version, mcpVersion, licence } = author;
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    ['Id', <code key="id">{entry.id}</code>],
    ['Transport', entry.transport.join(', ')],
    ['Protocol', protocol === undefined ? undefined : MCP_WORDS],
    // A bridge of the directory makes the form of such a server.
    ['Wire form', form === null || protocol !== undefined ? undefined : `form ${form}`],
    ['Version', version],
    ['MCP version', mcpVersion],
    ['Author', author.author === undefined ? undefined : authorWords(author.author)],
    ['Source', address(author.repository)],
    ['Licence', licence],
    ['Documentation', address(author.documentation)],
    ['Security audit', entry.audited ? 'yes' : 'no'],
    [
      'Audit report',
      auditReport === undefined ? undefined : (
        <>
          {address(auditReport.url)}, by {auditReport.auditor}, {auditReport.date}
        </>
      ),
    ],
    ['Open source', entry.openSource ? 'yes' : 'no'],
    ['Build', address(build?.artifact)],
    ['Digest of the build', code(build?.digest)],
    ['Attestation', typeof build?.attestation === 'string' ? address(build.attestation) : undefined],
    [
      'Signed by',
      build?.signer === undefined ? undefined : `${build.signer.identity} (${build.signer.issuer})`,
    ],
    ['Deployment', address(deployment?.instructions)],
    ['Digest of the deployment', code(deployment?.digest)],
    ['Added', <Moment key="added" at={entry.addedAt} />],
    ['Last updated', <Moment key="updated" at={entry.lastUpdated} />],
  ];
  return (
    <Section id="record" title="About this server">
      <dl class="pairs wide">
        {rows
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => (
            <Pair key={name} name={name}>
              {value}
            </Pair>
          ))}
      </dl>
    </Section>
  );
}

function authorWords({ name, contact }: { readonly name: string; readonly contact?: string }): VNode {
  return (
    <>
      <bdi>{name}</bdi>
      {contact === undefined ? null : (
        <>
          , <Address text={contact} />
        </>
      )}
    </>
  );
}

function address(text: string | undefined): VNode | undefined {
  return text === undefined ? undefined : <Address text={text} />;
}

function code(text: string | undefined): VNode | undefined {
  return text === undefined ? undefined : <code>{text}</code>;
}
