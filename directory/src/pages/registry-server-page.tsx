import type { VNode } from 'preact';
import { Command } from 'probity/html';
import { isJsonObject, type JsonObject, ownItems, ownProperty, ownText } from 'probity/model';
import type { ServerRow } from '../registry/read-servers.ts';
import { serverAddress } from '../registry/server-answer.ts';
import { packageCommand } from '../registry/shown-command.ts';
import { shellWord } from '../settings/shell-word.ts';
import { Address, Moment, Pair, Section, Table, visibleText } from './figures.tsx';
import { Layout } from './layout.tsx';
import type { RegistryView } from './registry-view.ts';
import { VerdictMark } from './verdict-mark.tsx';

/** What the registry says about a server, and what this directory knows about it. */
export function RegistryServerPage({
  server,
  versions,
  address,
  signedIn,
}: Readonly<{
  server: RegistryView;
  versions: readonly ServerRow[];
  address: string;
  signedIn: boolean;
}>): VNode {
  const { row, name, title, description, packages, remotes, websiteUrl, repositoryUrl } = server;
  const { status, statusMessage, source, version, publishedAt, entryId } = row;
  const path = `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  return (
    <Layout
      title={visibleText(title, 'name')}
      signedIn={signedIn}
      description={visibleText(description, 'description')}
      canonical={`${address}${serverAddress(name)}`}
    >
      <h1 dir="auto">
        {visibleText(title, 'name')} <VerdictMark row={row} />
      </h1>
      <p class="description" dir="auto">
        {visibleText(description, 'description')}
      </p>
      {status === 'active' ? null : (
        <div class="box">
          <p>
            <b>This version is {status}</b>
            {statusMessage === null ? '.' : `: ${visibleText(statusMessage, 'description')}`}
          </p>
        </div>
      )}
      {entryId === null ? (
        <Checked row={row} />
      ) : (
        <p>
          This directory tests this server:{' '}
          <a href={`/servers/${entryId}`}>states, figures and the last test</a>.
        </p>
      )}
      <dl class="figures">
        <Pair name="Name">
          <code class="id">{visibleText(name, 'name')}</code>
        </Pair>
        <Pair name="Version">{visibleText(version, 'label')}</Pair>
        <Pair name="Published">
          <Moment at={publishedAt.toISOString()} />
        </Pair>
        {row.isFollowed ? <Pair name="Source">{source ?? 'imported by the operator'}</Pair> : null}
        {websiteUrl === null ? null : (
          <Pair name="Website">
            <Address text={visibleText(websiteUrl, 'description')} />
          </Pair>
        )}
        {repositoryUrl === null ? null : (
          <Pair name="Repository">
            <Address text={visibleText(repositoryUrl, 'description')} />
          </Pair>
        )}
      </dl>
      {packages.length === 0 ? null : (
        <Section id="packages" title="Packages">
          {packages.slice(0, MAX_SHOWN).map((one, index) => (
            <Package key={index} given={one} />
          ))}
          <More count={packages.length} what="packages" />
        </Section>
      )}
      {remotes.length === 0 ? null : (
        <Section id="remotes" title="Addresses">
          <ul>
            {remotes.slice(0, MAX_SHOWN).map((one, index) => (
              <li key={index}>
                <code class="address">{visibleText(ownText(one, 'url') ?? '', 'description')}</code>{' '}
                {ownText(one, 'type')}
                <Settings list={ownItems(one, 'headers')} />
              </li>
            ))}
          </ul>
          <More count={remotes.length} what="addresses" />
        </Section>
      )}
      <Versions name={name} versions={versions} shown={version} />
      <p>
        <a href={path}>
          Its <code>server.json</code>
        </a>
        , as the registry API sends it
      </p>
    </Layout>
  );
}

function Checked({ row }: { readonly row: ServerRow }): VNode {
  const { packageVerdict, packageReason, packageCheckedAt } = row;
  if (packageVerdict === null || packageVerdict === 'unchecked' || packageCheckedAt === null)
    return (
      <p>
        This directory has not tested this server: it is a package, a command that would run with your rights.
        What follows is what the registry says, and nobody here has checked it.
      </p>
    );
  return (
    <p>
      It is a package, a command that runs with your rights. The last check of this directory, which says
      nothing about whether it is harmless: {packageVerdict}, <Moment at={packageCheckedAt.toISOString()} />
      {packageReason === null ? '.' : `: ${visibleText(packageReason, 'description')}.`}
    </p>
  );
}

const MAX_SHOWN = 20;

function More({ count, what }: Readonly<{ count: number; what: string }>): VNode | null {
  if (count <= MAX_SHOWN) return null;
  return (
    <p>
      and {count - MAX_SHOWN} more {what}, in its <code>server.json</code>
    </p>
  );
}

function Package({ given }: { readonly given: JsonObject }): VNode {
  const words = packageCommand(given);
  const name = [ownText(given, 'identifier'), ownText(given, 'version')].filter((part) => part !== null);
  const transport = ownText(ownProperty(given, 'transport'), 'type') ?? '';
  return (
    <>
      <p>
        <b>{visibleText(ownText(given, 'registryType') ?? '', 'label')}</b>{' '}
        <code class="id">{visibleText(name.join(' '), 'name')}</code> {transport}
      </p>
      {words === null ? null : (
        <Command label="To run it" text={visibleText(words.map(shellWord).join(' '), 'description')} />
      )}
      <Settings list={ownItems(given, 'environmentVariables')} />
    </>
  );
}

/** Values that the user sets, as variables of the environment or headers. */
function Settings({ list }: { readonly list: readonly unknown[] }): VNode | null {
  const settings = list.filter(isJsonObject);
  if (settings.length === 0) return null;
  return (
    <ul>
      {settings.slice(0, MAX_SHOWN).map((one, index) => (
        <li key={index}>
          <code class="id">{visibleText(ownText(one, 'name') ?? '', 'name')}</code>
          {ownProperty(one, 'isRequired') === true ? ' (required)' : ''}
          {ownProperty(one, 'isSecret') === true ? ' (secret)' : ''}{' '}
          {visibleText(ownText(one, 'description') ?? '', 'description')}
        </li>
      ))}
      {settings.length > MAX_SHOWN ? <li>and {settings.length - MAX_SHOWN} more</li> : null}
    </ul>
  );
}

function Versions({
  name,
  versions,
  shown,
}: Readonly<{ name: string; versions: readonly ServerRow[]; shown: string }>): VNode {
  return (
    <Section id="versions" title="Versions">
      <Table label="Versions of this server" heads={['Version', 'Published', 'Status']}>
        {versions.slice(0, MAX_SHOWN).map(({ version, publishedAt, status, isLatest }) => (
          <tr key={version}>
            <td>
              {version === shown ? (
                <b>{visibleText(version, 'label')}</b>
              ) : (
                <a href={serverAddress(name, version)}>{visibleText(version, 'label')}</a>
              )}
            </td>
            <td>
              <Moment at={publishedAt.toISOString()} />
            </td>
            <td class="wraps">
              {status}
              {isLatest ? ', latest' : ''}
            </td>
          </tr>
        ))}
      </Table>
      <More count={versions.length} what="versions" />
    </Section>
  );
}
