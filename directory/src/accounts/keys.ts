import { hash, randomBytes } from 'node:crypto';
import { allRows, hasRow, oneRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { RateLimit, Scope } from '../settings/settings.ts';

export interface KnownKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const PREFIX = 'prb';
const SECRET_BYTES = 32;
const KEY_PATTERN = new RegExp(`^${PREFIX}_([a-z2-7]{10})_([A-Za-z0-9_-]{43})$`);

/**
 * Creates a key: a prefix that makes it recognisable, an id for the lookup, and 256 random bits. Returns it with its id;
 * it is not stored.
 */
export async function createKey(
  db: Db,
  { name, scopes, expiresAt }: Readonly<{ name: string; scopes: readonly Scope[]; expiresAt: Date | null }>,
): Promise<{ readonly id: string; readonly key: string }> {
  const id = newId();
  const key = `${PREFIX}_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  await run(db)`
    insert into keys (id, name, hash, scopes, expires_at)
    values (${id}, ${name}, ${hashOf(key)}, ${[...scopes]}::text[], ${expiresAt})`;
  return { id, key };
}

function newId(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567';
  return [...randomBytes(10)].map((byte) => letters[byte % letters.length]).join('');
}

// A fast hash is enough, because 256 random bits cannot be guessed.
export function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

export function listKeys(db: Db): Promise<readonly KnownKey[]> {
  return allRows<KnownKey>(db)`
    select id, name, scopes, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
      last_used_at as "lastUsedAt"
    from keys order by created_at, id`;
}

/** False when no key has this id. */
export function revokeKey(db: Db, id: string): Promise<boolean> {
  return hasRow(db)`
    update keys set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning id`;
}

/** How much of a limit is used, including this call, and when its window ends. */
export interface LimitState {
  readonly used: number;
  readonly endsInSeconds: number;
}

/** Counts a call in the store, for rare and expensive ones; `CallCounts` counts the others. */
export function countCall(db: Db, subject: string, limit: RateLimit): Promise<LimitState> {
  const { windowSeconds } = limit;
  // By the clock of the database, which all instances share.
  return oneRow<LimitState>(db)`
    insert into rate_limits (subject, window_number, used)
    values (
      ${`${subject}:${limit.name}`}, floor(extract(epoch from now()) / ${windowSeconds}::integer)::bigint, 1
    )
    on conflict (subject) do update set
      used = case when rate_limits.window_number = excluded.window_number then rate_limits.used + 1 else 1 end,
      window_number = excluded.window_number
    returning used, ${windowSeconds}::integer
      - (floor(extract(epoch from now()))::bigint % ${windowSeconds}::integer)::integer as "endsInSeconds"`;
}

/** The id of a key, given by its id or as the whole key. */
export function keyIdIn(given: string): string {
  return KEY_PATTERN.exec(given)?.[1] ?? given;
}
