import { type ListingRow, visible } from 'probity/model';
import { run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { type Entry, lockEntries } from '../entries/entries.ts';
import type { Service } from '../http/service.ts';
import { refusalOf } from '../targets/target-access.ts';

/** Why the directory must not call an entry, which it then puts on hold; null when it may. */
export async function whyRefused({ store, settings }: Service, entry: Entry): Promise<string | null> {
  const refusal = refusalOf(entry, settings);
  if (refusal === null) return null;
  const why = `This server cannot be tested: ${visible(refusal.message)}.`;
  await holdRefused(store.db, entry.id, why);
  return why;
}

/** Puts an entry on hold, unless the operator approved it. */
async function holdRefused(db: Db, entryId: string, why: string): Promise<void> {
  const row: ListingRow = {
    requirement: 'listing/record',
    level: 'MUST',
    outcome: 'undecided',
    evidence: [
      {
        kind: 'undecided',
        fault: 'harness',
        key: 'endpoint',
        text: why,
        expected: 'an endpoint that this directory may call',
        received: 'an endpoint that it may not call',
        where: { file: `listing of ${entryId}`, line: 1, column: 1 },
        remedy: 'Add the listing again with an endpoint on the public internet.',
      },
    ],
  };
  await db.transaction().execute(async (transaction) => {
    // The lock comes first, so that a concurrent approval by the operator is seen.
    await lockEntries(transaction, [entryId]);
    await run(transaction)`
      with judged as (
        update entry_details set judgement = ${JSON.stringify([row])}
        where entry_id = ${entryId} and decided_by = 'checks' returning entry_id
      )
      update entries set checks_decision = 'hold' from judged where id = entry_id`;
  });
}
