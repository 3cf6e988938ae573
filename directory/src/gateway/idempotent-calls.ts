import { sql } from 'kysely';
import { firstRow, hasRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

export interface CallId {
  /** The key of the caller: equal Idempotency-Keys of two callers are different calls. */
  readonly keyId: string;
  readonly idempotencyKey: string;
}

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
}

export type Claim =
  /** The caller must make the call; `keepAnswer` or `releaseCall` ends the claim. */
  | { readonly kind: 'claimed' }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  | { readonly kind: 'other-request' }
  | { readonly kind: 'under-way' }
  /** The call started so long ago that its instance must have died. */
  | { readonly kind: 'abandoned' };

/** How long a call and its answer are kept. */
export const ANSWER_KEPT_HOURS = 24;

const ATTEMPTS = 5;

/**
 * Claims a call, once for all instances, or returns its outcome. A claim without an answer is abandoned after `maxMs`.
 * It cannot be claimed again, because the call may have run.
 */
export async function claimCall(
  db: Db,
  callId: CallId,
  { requestHash, maxMs }: { readonly requestHash: string; readonly maxMs: number },
): Promise<Claim> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await insertClaim(db, callId, requestHash)) return { kind: 'claimed' };
    const found = await firstRow<{ isSame: boolean; isOld: boolean; isAnswered: boolean } & StoredAnswer>(db)`
      select request_hash = ${requestHash} as "isSame", status is not null as "isAnswered", status, body,
        content_type as "contentType", started_at < now() - ${maxMs} * interval '1 millisecond' as "isOld"
      from idempotent_calls where ${isCall(callId)}`;
    // The claim was released meanwhile.
    if (found === null) continue;
    const { isSame, isOld, isAnswered, ...answer } = found;
    if (!isSame) return { kind: 'other-request' };
    if (isAnswered) return { kind: 'answered', answer };
    return { kind: isOld ? 'abandoned' : 'under-way' };
  }
  return { kind: 'under-way' };
}

/** An expired row is replaced, even if it has not been deleted yet. */
function insertClaim(db: Db, { keyId, idempotencyKey }: CallId, requestHash: string): Promise<boolean> {
  return hasRow(db)`
    insert into idempotent_calls (key_id, idempotency_key, request_hash)
    values (${keyId}, ${idempotencyKey}, ${requestHash})
    on conflict (key_id, idempotency_key) do update set
      request_hash = excluded.request_hash, started_at = now(), status = null, body = null, content_type = null
    where idempotent_calls.started_at < now() - ${ANSWER_KEPT_HOURS} * interval '1 hour'
    returning 1`;
}

/** Stores the answer of a claimed call, for replays. */
export async function keepAnswer(db: Db, callId: CallId, answer: StoredAnswer): Promise<void> {
  const { status, body, contentType } = answer;
  await run(db)`
    update idempotent_calls set status = ${status}, body = ${body}, content_type = ${contentType}
    where ${isCall(callId)} and status is null`;
}

/** Releases the claim on a call that certainly did not run. */
export async function releaseCall(db: Db, callId: CallId): Promise<void> {
  await run(db)`delete from idempotent_calls where ${isCall(callId)} and status is null`;
}

function isCall({ keyId, idempotencyKey }: CallId) {
  return sql`key_id = ${keyId} and idempotency_key = ${idempotencyKey}`;
}

export async function purgeCalls(db: Db): Promise<void> {
  await run(db)`
    delete from idempotent_calls where started_at < now() - ${ANSWER_KEPT_HOURS} * interval '1 hour'`;
}
