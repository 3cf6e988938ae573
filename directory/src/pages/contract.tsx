import type { VNode } from 'preact';
import { sentenceOfChange } from 'probity/html';
import type { ContractVersion } from 'probity/model';
import type { EntryView } from './entry-view.ts';
import { Moment, Section } from './figures.tsx';

const MAX_VERSIONS = 10;
const MAX_CHANGES = 20;

const MARKS = { breaking: 'failed', unclear: 'warning', additive: 'passed', cosmetic: '' } as const;

/** What the server offered over time, for whoever calls it: since when the present contract holds, and what changed. */
export function ContractHistory({ entry }: { readonly entry: EntryView }): VNode | null {
  const { contracts, apiUrl, protocol } = entry;
  const unit = protocol === 'mcp' ? 'tool' : 'function';
  const [current] = contracts;
  if (current === undefined) return null;
  const changed = contracts.filter(({ worst }) => worst !== null);
  return (
    <Section id="contract" title="Contract">
      <p>
        Unchanged since <Moment at={current.seenAt} />, last seen <Moment at={current.lastSeenAt} />.
        {changed.length === 0 ? ' No change was seen so far.' : null}
      </p>
      {changed.slice(0, MAX_VERSIONS).map((version) => (
        <Changes key={version.seenAt} version={version} unit={unit} />
      ))}
      {changed.length > MAX_VERSIONS ? (
        <p>and {changed.length - MAX_VERSIONS} more, in the JSON of the API</p>
      ) : null}
      <p class="level">
        <code>{`GET ${apiUrl}/contract`}</code> returns it as JSON, for <code>probity diff</code> and{' '}
        <code>probity check --contract</code>.
      </p>
    </Section>
  );
}

function Changes({
  version,
  unit,
}: Readonly<{ version: ContractVersion; unit: 'function' | 'tool' }>): VNode {
  const { seenAt, worst, isSuspicious, changeCount, changes } = version;
  const shown = changes.slice(0, MAX_CHANGES);
  return (
    <details class="function" open={worst === 'breaking' || isSuspicious}>
      <summary>
        <Moment at={seenAt} /> <span class={`mark ${worst === null ? '' : MARKS[worst]}`}>{worst}</span>{' '}
        {isSuspicious ? <span class="mark failed">a text may say something else to the model</span> : null}{' '}
        {changeCount === 1 ? '1 change' : `${changeCount} changes`}
      </summary>
      <ul class="found">
        {shown.map((change, index) => (
          <li key={index}>
            <span class={`mark ${MARKS[change.kind]}`}>{change.kind}</span> {sentenceOfChange(change, unit)}
          </li>
        ))}
        {changeCount > shown.length ? <li>and {changeCount - shown.length} more</li> : null}
      </ul>
    </details>
  );
}
