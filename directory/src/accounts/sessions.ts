import { randomBytes } from 'node:crypto';
import { firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { hashOf } from './keys.ts';
import type { CallerKey } from './known-keys.ts';

export const SESSION_HOURS = 12;

const TOKEN_BYTES = 32;
export const SESSION_TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Opens a session for a key and returns its token; only the digest is stored. Deletes expired sessions. */
export async function openSession(db: Db, keyId: string): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await run(db)`
    with ended as (delete from sessions where expires_at <= now())
    insert into sessions (hash, key_id, expires_at)
    values (${hashOf(token)}, ${keyId}, now() + ${SESSION_HOURS} * interval '1 hour')`;
  return token;
}

/** The key that opened a session. Null when the session does not exist or has ended, or its key is revoked or expired. */
export async function readSession(db: Db, token: string): Promise<CallerKey | null> {
  if (!SESSION_TOKEN_PATTERN.test(token)) return null;
  return firstRow<CallerKey>(db)`
    select keys.id as "keyId", keys.name, keys.scopes from sessions join keys on keys.id = sessions.key_id
    where sessions.hash = ${hashOf(token)} and sessions.expires_at > now()
      and keys.revoked_at is null and (keys.expires_at is null or keys.expires_at > now())`;
}

export async function endSession(db: Db, token: string): Promise<void> {
  await run(db)`delete from sessions where hash = ${hashOf(token)}`;
}
