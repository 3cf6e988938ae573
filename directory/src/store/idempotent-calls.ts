import { sql } from 'kysely';
import type { Db } from './open-store.ts';

/** A call as its caller names it. */
export interface CallName {
  /** Of the caller: another one's calls are never found. */
  readonly keyId: string;
  readonly idempotencyKey: string;
}

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
}

export type Claim =
  /** The call is the caller's to make: `keepAnswer` or `releaseCall` ends the claim. */
  | { readonly kind: 'claimed' }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  | { readonly kind: 'other-request' }
  | { readonly kind: 'under-way' }
  /** It was begun so long ago that whoever made it is gone. */
  | { readonly kind: 'abandoned' };

/** For so long a call is remembered. */
export const REMEMBERED_HOURS = 24;

const ATTEMPTS = 5;

/**
 * Claims a call, once among all instances, or tells what came of it. A claim that ends unanswered is given up after
 * `longestMs`; nobody else ever gets it, because the call may have run.
 */
export async function claimCall(
  db: Db,
  name: CallName,
  { requestHash, longestMs }: { readonly requestHash: string; readonly longestMs: number },
): Promise<Claim> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await insertClaim(db, name, requestHash)) return { kind: 'claimed' };
    const found = await db
      .selectFrom('idempotent_calls')
      .select([
        'request_hash',
        'status',
        'body',
        'content_type',
        sql<boolean>`started_at < now() - ${longestMs} * interval '1 millisecond'`.as('is_old'),
      ])
      .where('key_id', '=', name.keyId)
      .where('idempotency_key', '=', name.idempotencyKey)
      .executeTakeFirst();
    // Released since.
    if (found === undefined) continue;
    if (found.request_hash !== requestHash) return { kind: 'other-request' };
    const { status, body, content_type: contentType } = found;
    if (status !== null && body !== null && contentType !== null)
      return { kind: 'answered', answer: { status, body, contentType } };
    return { kind: found.is_old ? 'abandoned' : 'under-way' };
  }
  return { kind: 'under-way' };
}

/** A row past its time counts as forgotten, whether or not it was deleted yet. */
async function insertClaim(
  db: Db,
  { keyId, idempotencyKey }: CallName,
  requestHash: string,
): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotent_calls (key_id, idempotency_key, request_hash)
    values (${keyId}, ${idempotencyKey}, ${requestHash})
    on conflict (key_id, idempotency_key) do update set
      request_hash = excluded.request_hash, started_at = now(), status = null, body = null, content_type = null
    where idempotent_calls.started_at < now() - ${REMEMBERED_HOURS} * interval '1 hour'
    returning 1`.execute(db);
  return rows.length > 0;
}

/** Keeps what came of a claimed call, to be given again. */
export async function keepAnswer(
  db: Db,
  { keyId, idempotencyKey }: CallName,
  { status, body, contentType }: StoredAnswer,
): Promise<void> {
  await db
    .updateTable('idempotent_calls')
    .set({ status, body, content_type: contentType })
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', idempotencyKey)
    .where('status', 'is', null)
    .execute();
}

/** Lets a call be made again that certainly did not run. */
export async function releaseCall(db: Db, { keyId, idempotencyKey }: CallName): Promise<void> {
  await db
    .deleteFrom('idempotent_calls')
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', idempotencyKey)
    .where('status', 'is', null)
    .execute();
}

/** Deletes the calls that were begun before; how many. */
export async function forgetOldCalls(db: Db, before: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotent_calls')
    .where('started_at', '<', before)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
