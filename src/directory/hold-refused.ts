import type { ListingRow } from '../model/listing.ts';
import type { Db } from './store/open-store.ts';

/** Shows an entry no longer whose endpoint this directory must not ask, unless the operator vouches for it. */
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
        expected: 'an endpoint that this directory may ask',
        received: 'one that it may not ask',
        where: { file: `listing of ${entryId}`, line: 1, column: 1 },
        remedy: 'Add the listing again with an endpoint on the public internet.',
      },
    ],
  };
  await db.transaction().execute(async (transaction) => {
    const held = await transaction
      .updateTable('entries')
      .set({ decision: 'hold' })
      .from('entry_details')
      .whereRef('entry_details.entry_id', '=', 'entries.id')
      .where('entries.id', '=', entryId)
      .where('decided_by', '=', 'checks')
      .executeTakeFirst();
    if (held.numUpdatedRows > 0n)
      await transaction
        .updateTable('entry_details')
        .set({ judgement: JSON.stringify([row]) })
        .where('entry_id', '=', entryId)
        .execute();
  });
}
