import { createHash } from 'node:crypto';
import { readChanges } from '../store/audit-changes.ts';
import { type Audit, countOutcomes } from '../store/audits.ts';
import type { Db } from '../store/open-store.ts';
import { booksOf, isQuotable } from './audit-words.ts';

/**
 * Lines of JSON: one for the audit with its books, one for each change, and one with the SHA-256 of all lines before it,
 * so that a cut file is noticed. Without changes if the audit must not be quoted.
 */
export async function* auditLines(db: Db, audit: Audit): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const line = (value: object): string => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  const { counts, sum, balance } = booksOf(audit, await countOutcomes(db, audit.id));
  const quotable = isQuotable(audit);
  yield line({ ...audit, quotable, books: { outcomes: counts, sum, balance } });
  if (quotable)
    for await (const { entryId, ...change } of readChanges(db, audit.id))
      yield line({ id: entryId, ...change });
  yield `${JSON.stringify({ sha256: digest.digest('hex') })}\n`;
}
