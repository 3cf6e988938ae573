import type { ListingRow } from 'probity/model';
import { lockEntries } from '../store/entries.ts';
import type { Db } from '../store/open-store.ts';

/** Puts an entry on hold when the directory must not call its endpoint, unless the operator approved the entry. */
export async function holdRefused(db: Db, entryId: string, why: string): Promise<void> {
  const row: ListingRow = {
    requirement: 'listing/record',
    level: 'MUST',
    outcome: 'inconclusive',
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
    const { numUpdatedRows } = await transaction
      .updateTable('entry_details')
      .set({ judgement: JSON.stringify([row]) })
      .where('entry_id', '=', entryId)
      .where('decided_by', '=', 'checks')
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n)
      await transaction.updateTable('entries').set({ decision: 'hold' }).where('id', '=', entryId).execute();
  });
}
