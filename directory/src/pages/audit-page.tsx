import type { VNode } from 'preact';
import { type Books as BooksOfAudit, wordsOfOutcome } from '../auditing/audit-words.ts';
import type { Audit } from '../auditing/audits.ts';
import type { AuditView, ShownChange } from './audit-view.ts';
import { Moment, Pair, Table } from './figures.tsx';
import { Layout } from './layout.tsx';

const STATES = {
  running: { kind: 'incomplete', words: 'running' },
  interrupted: { kind: 'incomplete', words: 'interrupted' },
  frozen: { kind: 'fail', words: 'frozen' },
  ended: { kind: 'pass', words: 'ended' },
} as const;

/** An audit: its books, and what changed since the audits before. */
export function AuditPage({ view, signedIn }: Readonly<{ view: AuditView; signedIn: boolean }>): VNode {
  const { audit, books } = view;
  return (
    <Layout title={`Audit ${audit.id}`} signedIn={signedIn}>
      <Summary audit={audit} />
      {books === null ? null : <Books books={books} entries={audit.entries} />}
      {view.changes === null ? null : <Changes view={view} changes={view.changes} />}
    </Layout>
  );
}

function Summary({ audit }: { readonly audit: Audit }): VNode {
  const { id, tier, selection, entries, state, reason, startedAt, endedAt } = audit;
  return (
    <div class={`verdict standing ${STATES[state].kind}`}>
      <h1>Audit {id}</h1>
      {state === 'ended' ? null : (
        <p class="decision">
          The audit is {STATES[state].words}. Its figures are incomplete: do not quote them.{' '}
          {reason === null ? null : <span dir="auto">{reason}</span>}
        </p>
      )}
      <dl class="figures">
        <Pair name="State">{STATES[state].words}</Pair>
        <Pair name="Tier">{tier}</Pair>
        <Pair name="Servers">{entries}</Pair>
        <Pair name="Began">
          <Moment at={startedAt.toISOString()} />
        </Pair>
        {endedAt === null ? null : (
          <Pair name="Ended">
            <Moment at={endedAt.toISOString()} />
          </Pair>
        )}
      </dl>
      <p class="about" dir="auto">
        Selected: {selection}.
      </p>
    </div>
  );
}

function Books({
  books: { counts, sum, balance },
  entries,
}: Readonly<{ books: BooksOfAudit; entries: number }>): VNode {
  return (
    <section id="books" aria-labelledby="books-title">
      <h2 id="books-title">Outcomes</h2>
      <Table
        label="Table of the outcomes"
        caption="Each server has one outcome"
        heads={['Outcome', 'Cause', 'Servers']}
      >
        {counts.map(({ outcome, cause, count }) => (
          <tr key={`${outcome} ${cause}`}>
            <th scope="row">{wordsOfOutcome(outcome)}</th>
            <td>{cause ?? ''}</td>
            <td>{count}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">together</th>
          <td>{balance ? '' : `The sum should be ${entries}: report this as an error of the directory.`}</td>
          <td>{sum}</td>
        </tr>
      </Table>
    </section>
  );
}

function Changes({
  view: { audit, hasMoreChanges },
  changes,
}: Readonly<{ view: AuditView; changes: readonly ShownChange[] }>): VNode {
  return (
    <section id="changes" aria-labelledby="changes-title">
      <h2 id="changes-title">Changes since the last audit of each server</h2>
      {changes.length === 0 ? (
        <p>None.</p>
      ) : (
        <Table label="Table of the changes" heads={['Server', 'Change']}>
          {changes.map(({ id, hasPage, words }) => (
            <tr key={id}>
              <th scope="row">{hasPage ? <a href={`/servers/${encodeURIComponent(id)}`}>{id}</a> : id}</th>
              <td>{words}</td>
            </tr>
          ))}
        </Table>
      )}
      {hasMoreChanges ? (
        <p>
          and more: <code>probity directory audits {audit.id} --csv</code>
        </p>
      ) : null}
    </section>
  );
}
