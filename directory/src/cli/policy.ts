import { say } from 'probity/command-line';
import { readPolicy as readFile, writePolicy } from 'probity/service';
import { changePolicy, readPolicy } from '../entries/policies.ts';
import { givenOf, policyWith } from '../settings/policy.ts';
import { type AuthorFlags, authorOf } from './author.ts';
import { print } from './print.ts';
import { commandFor, type StoreFlags, withNewStore, withStore } from './store-flags.ts';

/** Stores the policy of a file, or prints the stored one. */
export async function policy(file: string | undefined, flags: StoreFlags & AuthorFlags): Promise<void> {
  if (file === undefined) {
    await print(writePolicy(givenOf(await withStore(flags, ({ db }) => readPolicy(db)))));
    return;
  }
  const given = policyWith(readFile(file));
  await withNewStore(flags, ({ db }) => changePolicy(db, given, authorOf(flags)));
  say(
    `The policy is stored, and applies from the next test of each server on. Print it with: ${commandFor('policy', flags)}`,
  );
}
