import type { VNode } from 'preact';
import type { ServerRecord } from 'probity/model';
import { Figure, MCP_WORDS, msWords, Pair, percentWords, visibleText } from './figures.tsx';
import { labelAddress } from './search-address.ts';
import { StateMark } from './state.tsx';

export function FoundEntry({ record }: { readonly record: ServerRecord }): VNode {
  const { id, name, description, category, tags, transport, protocol } = record;
  const { uptime, responseTime, figures, audited, openSource, status } = record;
  return (
    <li class="entry">
      <h2>
        <a href={`/servers/${id}`} dir="auto">
          {visibleText(name, 'name')}
        </a>
        {status === undefined ? null : <StateMark status={status} />}
      </h2>
      <Seals audited={audited} openSource={openSource} />
      <p class="description" dir="auto">
        {visibleText(description, 'description')}
      </p>
      <dl class="figures">
        <Figure name="Uptime" words={percentWords(uptime)} figures={figures} />
        <Figure name="Response time" words={msWords(responseTime)} figures={figures} />
        <Pair name="Transport">{transport.join(', ')}</Pair>
        {protocol === undefined ? null : <Pair name="Protocol">{MCP_WORDS}</Pair>}
      </dl>
      <Labels category={category} tags={tags} />
    </li>
  );
}

/** Null for a server that is neither audited nor open source. */
export function Seals({
  audited,
  openSource,
}: Readonly<{ audited: boolean; openSource: boolean }>): VNode | null {
  if (!audited && !openSource) return null;
  return (
    <p class="seals">
      {audited ? <span class="mark passed">audited</span> : null}{' '}
      {openSource ? <span class="mark">open source</span> : null}
    </p>
  );
}

const MAX_TAGS = 30;

/** Category and tags, each with a link to all servers that have it. */
export function Labels({ category, tags }: Readonly<{ category: string; tags: readonly string[] }>): VNode {
  return (
    <ul class="labels" aria-label="Category and tags">
      <li class="category">
        <Label name="category" label={category} />
      </li>
      {tags.slice(0, MAX_TAGS).map((tag, index) => (
        <li key={index}>
          <Label name="tags" label={tag} />
        </li>
      ))}
      {tags.length > MAX_TAGS ? <li>and {tags.length - MAX_TAGS} more</li> : null}
    </ul>
  );
}

function Label({ name, label }: { readonly name: 'tags' | 'category'; readonly label: string }): VNode {
  const href = labelAddress(name, label);
  const text = visibleText(label, 'label');
  if (href === null) return <bdi>{text}</bdi>;
  return (
    <a href={href}>
      <bdi>{text}</bdi>
    </a>
  );
}
