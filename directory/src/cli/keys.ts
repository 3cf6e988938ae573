import { say, UsageError } from 'probity/command-line';
import { visible } from 'probity/model';
import { createKey, type KnownKey, keyIdIn, listKeys, revokeKey } from '../accounts/keys.ts';
import { noteAction } from '../entries/operator-log.ts';
import { DEFAULT_SCOPES, type Scope } from '../settings/settings.ts';
import { shellWord } from '../settings/shell-word.ts';
import { type AuthorFlags, authorOf } from './author.ts';
import { commandFor, type StoreFlags, withNewStore, withStore } from './store-flags.ts';

interface CreateFlags extends StoreFlags, AuthorFlags {
  readonly scope?: readonly Scope[];
  readonly expires?: string;
  readonly json?: boolean;
}

export async function createKeyFor(name: string, flags: CreateFlags): Promise<void> {
  // The key is valid until the end of the given day.
  const expiresAt =
    flags.expires === undefined ? null : new Date(Date.parse(`${flags.expires}T23:59:59.999Z`));
  if (name.trim() === '') throw new UsageError('Give the key a name, so that the list says whose it is.');
  if (expiresAt !== null && expiresAt.getTime() <= Date.now())
    throw new UsageError(`--expires ${flags.expires} is in the past. Give a future date.`);
  const scopes = flags.scope ?? DEFAULT_SCOPES;
  const created = await withNewStore(flags, ({ db }) =>
    db.transaction().execute(async (transaction) => {
      const made = await createKey(transaction, { name, scopes, expiresAt });
      const details = JSON.stringify({ key: made.id, name, scopes, expiresAt });
      await noteAction(transaction, { operator: authorOf(flags), action: 'create-key', details });
      return made;
    }),
  );
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ ...created, name, scopes, expiresAt })}\n`);
    return;
  }
  process.stdout.write(`${created.key}\n`);
  say(
    `Key ${created.id} for ${visible(name)}: ${scopes.join(', ')}${expiresAt === null ? '' : `, until ${flags.expires}`}. Save it now: only its digest is stored.`,
  );
}

export async function printKeys(flags: StoreFlags & { readonly json?: boolean }): Promise<void> {
  const keys = await withStore(flags, ({ db }) => listKeys(db));
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(keys.map(shown))}\n`);
    return;
  }
  if (keys.length === 0)
    say(`There are no keys. Create one with: ${commandFor(`key create ${shellWord(authorOf({}))}`, flags)}`);
  for (const key of keys) {
    const { id, name, scopes, createdAt, expiresAt, lastUsedAt, state } = shown(key);
    process.stdout.write(
      `${id}  ${state.padEnd(7)}  ${scopes.join(',').padEnd(17)}  created ${day(createdAt)}  ${expiresAt === null ? 'no expiry        ' : `until ${day(expiresAt)} `}  ${lastUsedAt === null ? 'never used      ' : `used ${day(lastUsedAt)}`}  ${visible(name)}\n`,
    );
  }
}

function shown({ id, name, scopes, ...times }: KnownKey) {
  const { expiresAt, revokedAt } = times;
  const expired = expiresAt !== null && expiresAt.getTime() <= Date.now();
  const state = revokedAt !== null ? 'revoked' : expired ? 'expired' : 'valid';
  return { id, name, scopes, state, ...times };
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export async function revoke(given: string, flags: StoreFlags & AuthorFlags): Promise<void> {
  const id = keyIdIn(given);
  const found = await withStore(flags, ({ db }) =>
    db.transaction().execute(async (transaction) => {
      if (!(await revokeKey(transaction, id))) return false;
      const details = JSON.stringify({ key: id });
      await noteAction(transaction, { operator: authorOf(flags), action: 'revoke-key', details });
      return true;
    }),
  );
  if (!found)
    throw new UsageError(`No key with this id. List the ids with: ${commandFor('key list', flags)}`);
  say(`Key ${id} is revoked.`);
}
