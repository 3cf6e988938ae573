import { readChanges } from '../auditing/audit-changes.ts';
import { type Books, booksOf, describeChange, isQuotable } from '../auditing/audit-words.ts';
import { type Audit, countOutcomes } from '../auditing/audits.ts';
import { Recent } from '../db/recent.ts';
import type { Db } from '../db/tables.ts';

/** What the page of an audit shows. */
export interface AuditView {
  readonly audit: Audit;
  /** Null while the audit runs. */
  readonly books: Books | null;
  /** The first ones; null when the audit must not be quoted. */
  readonly changes: readonly ShownChange[] | null;
  readonly hasMoreChanges: boolean;
}

export interface ShownChange {
  readonly id: string;
  /** A removed entry has no page. */
  readonly hasPage: boolean;
  readonly words: string;
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
  const changes: ShownChange[] = [];
  for await (const change of readChanges(db, audit.id)) {
    if (changes.length === MAX_CHANGES) return { audit, books, changes, hasMoreChanges: true };
    changes.push({ id: change.entryId, hasPage: change.endpoint !== null, words: describeChange(change) });
  }
  return { audit, books, changes, hasMoreChanges: false };
}
