import { firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { Budget } from '../settings.ts';

export interface TurnRequest {
  /** The host and the addresses of a target, as `keysOf` in probing/polite-turns.ts writes them. */
  readonly keys: readonly string[];
  /** Names the turn, so that it can be ended. */
  readonly id: string;
  /** Places of `inFlight` that it needs. */
  readonly places: number;
  /** After this time, the process that has the turn is considered dead. */
  readonly lastsMs: number;
  /** How long the caller would wait for the turn. */
  readonly patienceMs: number;
}

/** Granted: the work may begin after `waitMs`. Otherwise it is asked for again then. */
export type GivenTurn =
  | { readonly kind: 'granted'; readonly waitMs: number }
  /** Other work has the host or the address. `isReserved`: no single request begins until then. */
  | { readonly kind: 'crowded'; readonly waitMs: number; readonly isReserved: boolean }
  /** The host asked not to be called until then. */
  | { readonly kind: 'closed'; readonly waitMs: number };

/** Turns are this much further apart than the budget requires, because a process may begin late. */
const MARGIN = 1.25;

/** Reserves a turn for all keys, or for none. Turns with a common key come one after another, at the pace of the budget. */
export async function takeTurn(db: Db, turn: TurnRequest, budget: Budget): Promise<GivenTurn> {
  const { keys, id, places, lastsMs, patienceMs } = turn;
  const stepMs = (MARGIN * 1000) / budget.perSecond;
  const row = await firstRow<{ kind: GivenTurn['kind']; wait_ms: number; is_reserved: boolean }>(db)`
    select kind, wait_ms, is_reserved from take_turn(
      ${[...keys]}::text[], ${id}, ${places}::integer, ${budget.inFlight}::integer, ${stepMs}::double precision,
      ${lastsMs}::double precision, ${patienceMs}::double precision
    )`;
  const { kind = 'crowded', wait_ms: waitMs = patienceMs, is_reserved: isReserved = false } = row ?? {};
  return kind === 'crowded' ? { kind, waitMs, isReserved } : { kind, waitMs };
}

/**
 * Ends a turn. The next one with one of its keys begins after `pauseMs` at the earliest. It locks the keys in their order,
 * like `take_turn`, so that no two wait for each other.
 */
export async function endTurn(db: Db, id: string, pauseMs: number): Promise<void> {
  await run(db)`
    with ended as (delete from turns where id = ${id} returning key),
    locked as materialized (
      select key from target_paces
      where ${pauseMs}::double precision > 0 and key in (select key from ended) order by key for update
    )
    update target_paces set free_at = greatest(free_at, clock_timestamp() + ${pauseMs}::double precision * interval '1 ms')
    where key in (select key from locked)`;
}

/** Nothing is sent to this host for so long, because it asked for it. */
export async function closeHost(db: Db, key: string, pauseMs: number): Promise<void> {
  await run(db)`
    insert into target_paces as known (key, free_at, closed_until)
    values (${key}, '-infinity', clock_timestamp() + ${pauseMs}::double precision * interval '1 ms')
    on conflict (key) do update set closed_until = greatest(known.closed_until, excluded.closed_until)`;
}

/** Deletes what no turn needs any more. */
export async function purgeTurns(db: Db): Promise<void> {
  await run(db)`delete from turns where until < now() - interval '1 hour'`;
  await run(db)`
    delete from target_paces where key in (
      select key from target_paces as pace
      where greatest(free_at, closed_until, reserved_until) < now() - interval '1 hour'
        and not exists (select from turns where turns.key = pace.key)
      for update skip locked
    )`;
}
