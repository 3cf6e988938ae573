import type { VNode } from 'preact';
import {
  type Books,
  booksOf,
  describeChange,
  isQuotable,
  readChanges,
  wordsOfOutcome,
} from '../auditing/audit-changes.ts';
import { type Audit, countOutcomes } from '../auditing/audits.ts';
import { Recent } from '../db/recent.ts';
import type { Db } from '../db/tables.ts';
import { Moment, Pair, Section, Table } from './figures.tsx';
import { Layout } from './layout.tsx';

/** What the page of an audit shows. */
interface AuditView {
  readonly audit: Audit;
  /** Null while the audit runs. */
  readonly books: Books | null;
  /** The first ones, each with a link if the entry was not removed; null when the audit must not be quoted. */
  readonly changes:
    | readonly { readonly id: string; readonly hasPage: boolean; readonly words: string }[]
    | null;
  readonly hasMoreChanges: boolean;
}

const MAX_CHANGES = 200;
const MAX_KEPT = 16;

/** Reads audits for their pages. What is counted over all entries is kept, because an audit that does not run stays as it is. */
export function createAuditViews(db: Db): (audit: Audit) => Promise<AuditView> {
  const kept = new Recent<Promise<AuditView>>(MAX_KEPT);
  return async (audit) => {
    if (audit.state === 'running') return { audit, books: null, changes: null, hasMoreChanges: false };
    const key = `${audit.id} ${audit.state} ${audit.endedAt?.getTime()}`;
    const view = kept.get(key) ?? readView(db, audit);
    kept.set(key, view);
    view.catch(() => kept.delete(key));
    return view;
  };
}

async function readView(db: Db, audit: Audit): Promise<AuditView> {
  const books = booksOf(audit, await countOutcomes(db, audit.id));
  if (!isQuotable(audit)) return { audit, books, changes: null, hasMoreChanges: false };
  const changes = [];
  for await (const change of readChanges(db, audit.id)) {
    if (changes.length === MAX_CHANGES) return { audit, books, changes, hasMoreChanges: true };
    changes.push({ id: change.entryId, hasPage: change.endpoint !== null, words: describeChange(change) });
  }
  return { audit, books, changes, hasMoreChanges: false };
}

const STATES = {
  running: { kind: 'incomplete', words: 'running' },
  interrupted: { kind: 'incomplete', words: 'interrupted' },
  frozen: { kind: 'fail', words: 'frozen' },
  ended: { kind: 'pass', words: 'ended' },
} as const;

/** An audit: its books, and what changed since the audits before. */
export function AuditPage({ view, signedIn }: Readonly<{ view: AuditView; signedIn: boolean }>): VNode {
  return (
    <Layout title={`Audit ${view.audit.id}`} signedIn={signedIn}>
      <Summary {...view} />
      <Outcomes {...view} />
      <Changes {...view} />
    </Layout>
  );
}

function Summary({ audit }: AuditView): VNode {
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

function Outcomes({ audit: { entries }, books }: AuditView): VNode | null {
  if (books === null) return null;
  const { counts, sum, balance } = books;
  return (
    <Section id="books" title="Outcomes">
      <Table
        label="Table of the outcomes"
        caption="Each server has one outcome"
        heads={['Outcome', 'Cause', 'Servers']}
      >
        {counts.map(({ outcome, cause, count }) => (
          <tr key={`${outcome} ${cause}`}>
            <th scope="row" class="wraps">
              {wordsOfOutcome(outcome)}
            </th>
            <td class="wraps">{cause ?? ''}</td>
            <td>{count}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">all</th>
          <td class="wraps">
            {balance ? '' : `The sum should be ${entries}: report this as an error of the directory.`}
          </td>
          <td>{sum}</td>
        </tr>
      </Table>
    </Section>
  );
}

function Changes({ audit, changes, hasMoreChanges }: AuditView): VNode | null {
  if (changes === null) return null;
  return (
    <Section id="changes" title="Changes since the last audit of each server">
      {changes.length === 0 ? (
        <p>None.</p>
      ) : (
        <Table label="Table of the changes" heads={['Server', 'Change']}>
          {changes.map(({ id, hasPage, words }) => (
            <tr key={id}>
              <th scope="row">{hasPage ? <a href={`/servers/${encodeURIComponent(id)}`}>{id}</a> : id}</th>
              <td class="wraps">{words}</td>
            </tr>
          ))}
        </Table>
      )}
      {hasMoreChanges ? (
        <p>
          And more: <code>probity directory audits {audit.id} --csv</code>
        </p>
      ) : null}
    </Section>
  );
}
