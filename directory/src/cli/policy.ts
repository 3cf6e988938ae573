import { say } from 'probity/command-line';
import { type GivenPolicy, readPolicy as readFile, writePolicy } from 'probity/service';
import { changePolicy, readPolicy } from '../entries/policies.ts';
import { type Policy, policyWith } from '../settings/policy.ts';
import { type AuthorFlags, authorOf } from './author.ts';
import { print } from './print.ts';
import { commandFor, type StoreFlags, withStore } from './store-flags.ts';

/** Stores the policy of a file, or prints the stored one. */
export async function policy(file: string | undefined, flags: StoreFlags & AuthorFlags): Promise<void> {
  if (file === undefined) {
    await print(writePolicy(givenIn(await withStore(flags, ({ db }) => readPolicy(db)))));
    return;
  }
  const given = policyWith(readFile(file));
  await withStore(flags, ({ db }) => changePolicy(db, given, authorOf(flags)));
  say(
    `The policy is stored, and applies from the next test of each server on. Print it with: ${commandFor('policy', flags)}`,
  );
}

/** What a file says for a policy: keys without a value are left out. */
function givenIn({ operator, ...policy }: Policy): GivenPolicy {
  const known = Object.entries(operator).filter(([, value]) => value !== null);
  return { ...policy, operator: Object.fromEntries(known) };
}
