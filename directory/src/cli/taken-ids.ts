import { say, UsageError } from 'probity/command-line';
import { type Listing, visible } from 'probity/model';
import type { Db } from '../db/tables.ts';
import { duplicatesOf } from '../entries/duplicates.ts';
import { lookAlikes } from '../entries/entries.ts';
import { lookAlikeNames } from '../entries/look-alikes.ts';
import type { rejectedBefore } from '../entries/operator-decisions.ts';
import { readPolicy } from '../entries/policies.ts';
import { commandFor, type StoreFlags } from './store-flags.ts';

/** Refuses listings whose ids or endpoints are those of other entries, as far as the policy says so. */
export async function refuseTaken(db: Db, listings: readonly Listing[]): Promise<void> {
  await refuseLookAlikes(
    db,
    listings.map(({ id }) => id),
  );
  await refuseDuplicates(db, listings);
}

async function refuseLookAlikes(db: Db, ids: readonly string[]): Promise<void> {
  const found = await lookAlikes(db, ids);
  if (found.length === 0) return;
  const shown = found.slice(0, 10).map(({ id, known }) => `${id} (like ${known})`);
  throw new UsageError(
    `Some ids differ from existing ids only in case and punctuation: ${shown.join(', ')}. Choose other ids.`,
  );
}

/** Only a warning: names are not unique, and an author may have two servers of one name. */
export async function warnOfLookAlikes(db: Db, listings: readonly Listing[]): Promise<void> {
  const found = await lookAlikeNames(db, listings);
  for (const { id, known } of found.slice(0, 10))
    say(
      `warning: the name of ${id} looks like that of ${known}, which is listed. Compare them before you approve it.`,
    );
  if (found.length > 10)
    say(`warning: and ${found.length - 10} more; the command list --look-alikes shows all.`);
}

/** Entries that an operator rejected before they were removed. */
export type RejectedBefore = Awaited<ReturnType<typeof rejectedBefore>>;

/** Only a warning: who removes an entry removes what was decided about it, and may add it again on purpose. */
export function warnOfRejected(rejected: RejectedBefore, flags: StoreFlags): void {
  for (const { id, at, reason } of rejected.slice(0, 10)) {
    const why = reason === null ? '' : `: ${visible(reason)}`;
    const command = commandFor(`reject ${id} --reason 'as before'`, flags);
    say(
      `warning: an operator rejected ${id} on ${at.toISOString()}, before it was removed${why}. It is now as any new server; reject it again with: ${command}`,
    );
  }
  if (rejected.length > 10) say(`warning: and ${rejected.length - 10} more; the command log names them.`);
}

async function refuseDuplicates(db: Db, listings: readonly Listing[]): Promise<void> {
  if ((await readPolicy(db)).duplicates === 'show') return;
  const found = await duplicatesOf(db, listings);
  if (found.length === 0) return;
  const shown = found.slice(0, 10).map(({ id, known }) => `${id} (like ${known})`);
  throw new UsageError(
    `The policy of this directory refuses a second entry with the same endpoint: ${shown.join(', ')}. Remove one of each pair.`,
  );
}
