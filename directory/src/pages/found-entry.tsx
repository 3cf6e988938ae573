import type { VNode } from 'preact';
import type { ServerRecord } from 'probity/model';
import { Figure, MCP_WORDS, msWords, percentWords } from './figures.tsx';
import { Labels } from './labels.tsx';
import { visibleText } from './visible-text.tsx';

export function FoundEntry({ record }: { readonly record: ServerRecord }): VNode {
  const { id, name, description, category, tags, transport, protocol } = record;
  const { uptime, responseTime, figures, audited, openSource } = record;
  return (
    <li class="entry">
      <h2>
        <a href={`/servers/${id}`} dir="auto">
          {visibleText(name, 'name')}
        </a>
      </h2>
      <Seals audited={audited} openSource={openSource} />
      <p class="description" dir="auto">
        {visibleText(description, 'description')}
      </p>
      <dl class="figures">
        <div>
          <dt>Uptime</dt>
          <Figure words={percentWords(uptime)} figures={figures} />
        </div>
        <div>
          <dt>Response time</dt>
          <Figure words={msWords(responseTime)} figures={figures} />
        </div>
        <div>
          <dt>Transport</dt>
          <dd>{transport.join(', ')}</dd>
        </div>
        {protocol === undefined ? null : (
          <div>
            <dt>Protocol</dt>
            <dd>{MCP_WORDS}</dd>
          </div>
        )}
      </dl>
      <Labels category={category} tags={tags} />
    </li>
  );
}

/** Null for a server that is neither audited nor open source. */
export function Seals({
  audited,
  openSource,
}: {
  readonly audited: boolean;
  readonly openSource: boolean;
}): VNode | null {
  if (!audited && !openSource) return null;
  return (
    <p class="seals">
      {audited ? <span class="mark passed">audited</span> : null}{' '}
      {openSource ? <span class="mark">open source</span> : null}
    </p>
  );
}
