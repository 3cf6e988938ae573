import { say, UsageError } from 'probity/command-line';
import { visible } from 'probity/model';
import { createKey, type KnownKey, keyIdIn, listKeys, revokeKey } from '../store/keys.ts';
import { SCOPES, type Scope } from '../store/scopes.ts';
import { type StoreFlags, withStore } from './store-flags.ts';

interface CreateFlags extends StoreFlags {
  readonly scope?: readonly Scope[];
  readonly expires?: string;
  readonly json?: boolean;
}

export async function createKeyFor(name: string, flags: CreateFlags): Promise<void> {
  // Valid until the end of its last day.
  const expiresAt =
    flags.expires === undefined ? null : new Date(Date.parse(`${flags.expires}T23:59:59.999Z`));
  if (name.trim() === '') throw new UsageError('Give the key a name, so that the list says whose it is.');
  if (expiresAt !== null && expiresAt.getTime() <= Date.now())
    throw new UsageError(`--expires ${flags.expires} is over already. Give a day to come.`);
  const scopes = flags.scope ?? SCOPES;
  const made = await withStore(flags, ({ db }) => createKey(db, { name, scopes, expiresAt }));
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ ...made, name, scopes, expiresAt })}\n`);
    return;
  }
  process.stdout.write(`${made.key}\n`);
  say(
    `Key ${made.id} for ${visible(name)}: ${scopes.join(', ')}${expiresAt === null ? '' : `, until ${flags.expires}`}. It is shown this once: only a digest of it is kept.`,
  );
}

export async function printKeys(flags: StoreFlags & { readonly json?: boolean }): Promise<void> {
  const keys = await withStore(flags, ({ db }) => listKeys(db));
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(keys.map(shown))}\n`);
    return;
  }
  if (keys.length === 0) say('There are no keys. Make one with: probity directory key create NAME');
  for (const key of keys) {
    const { id, name, scopes, createdAt, expiresAt, lastUsedAt, state } = shown(key);
    process.stdout.write(
      `${id}  ${state.padEnd(7)}  ${scopes.join(',').padEnd(17)}  made ${day(createdAt)}  ${expiresAt === null ? 'no expiry        ' : `until ${day(expiresAt)} `}  ${lastUsedAt === null ? 'never used      ' : `used ${day(lastUsedAt)}`}  ${visible(name)}\n`,
    );
  }
}

function shown(key: KnownKey) {
  const expired = key.expires_at !== null && key.expires_at.getTime() <= Date.now();
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    state: key.revoked_at !== null ? 'revoked' : expired ? 'expired' : 'valid',
    createdAt: key.created_at,
    expiresAt: key.expires_at,
    revokedAt: key.revoked_at,
    lastUsedAt: key.last_used_at,
  };
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export async function revoke(given: string, flags: StoreFlags): Promise<void> {
  const id = keyIdIn(given);
  const found = await withStore(flags, ({ db }) => revokeKey(db, id));
  if (!found)
    throw new UsageError(
      'There is no key with this id. `probity directory key list` shows the ids there are.',
    );
  say(`Key ${id} is revoked.`);
}
