import type { ComponentChildren, VNode } from 'preact';
import type { EntryView } from './entry-view.ts';
import { MCP_WORDS, Moment, Pair } from './figures.tsx';
import { Address } from './visible-text.tsx';

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
    <section id="record" aria-labelledby="record-title">
      <h2 id="record-title">About this server</h2>
      <dl class="pairs">
        {rows
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => (
            <Pair key={name} name={name}>
              {value}
            </Pair>
          ))}
      </dl>
    </section>
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
