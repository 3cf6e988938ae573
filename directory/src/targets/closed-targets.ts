import { type Exchange, headerValue, isRateLimit, retryAfterMs } from 'probity/model';
import { run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { TargetKeys } from './target-keys.ts';

/** A target that asks for more time is asked again all the same. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** For a 429 without Retry-After. */
export const DEFAULT_RETRY_AFTER_MS = 60_000;
/** For each endpoint of a host that asks for a wait, the others of the host wait for this time too. */
const HOST_WAITS_MS = 60_000;

/** Until when an answer asks not to be asked again; 0 when it does not. */
export function askedToWaitUntilMs(exchange: Exchange): number {
  if (exchange.kind !== 'answered') return 0;
  const { startedAtMs, durationMs } = exchange.timing;
  const answeredAtMs = startedAtMs + durationMs;
  const { status, headers } = exchange.response;
  const retryAfter = headerValue(headers, 'retry-after');
  if (!isRateLimit(status, retryAfter)) return 0;
  const waitMs = retryAfterMs(retryAfter, answeredAtMs) ?? DEFAULT_RETRY_AFTER_MS;
  return answeredAtMs + Math.min(MAX_RETRY_AFTER_MS, waitMs);
}

/**
 * Nothing is sent to this endpoint for so long, because it asked for it. It may speak for itself or for its host, which
 * many servers of strangers can share: so the host is closed for no more than a minute for each of its endpoints that now
 * ask for a wait. The limit of a whole host is kept with few requests, and one server cannot close it to the others.
 */
export async function closeEndpoint(
  db: Db,
  { host, endpoint }: Pick<TargetKeys, 'host' | 'endpoint'>,
  waitMs: number,
): Promise<void> {
  await run(db)`
    insert into target_paces as known (key, free_at, closed_until)
    values (${endpoint}, '-infinity', clock_timestamp() + ${waitMs}::double precision * interval '1 ms')
    on conflict (key) do update set closed_until = greatest(known.closed_until, excluded.closed_until)`;
  // The character after the space bounds the keys of the endpoints of this host.
  await run(db)`
    insert into target_paces as known (key, free_at, closed_until)
    select ${host}, '-infinity', clock_timestamp()
      + least(${waitMs}::double precision, count(*) * ${HOST_WAITS_MS}::double precision) * interval '1 ms'
    from target_paces
    where key >= ${`${host} `} and key < ${`${host}!`} and closed_until > clock_timestamp()
    on conflict (key) do update set closed_until = greatest(known.closed_until, excluded.closed_until)`;
}
