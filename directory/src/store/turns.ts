import { type Kysely, sql } from 'kysely';
import type { Budget } from '../settings/service-settings.ts';
import type { Db } from './open-store.ts';

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
  const { rows } = await sql<{ kind: GivenTurn['kind']; wait_ms: number; is_reserved: boolean }>`
    select kind, wait_ms, is_reserved from take_turn(
      ${[...keys]}::text[], ${id}, ${places}::integer, ${budget.inFlight}::integer, ${stepMs}::double precision,
      ${lastsMs}::double precision, ${patienceMs}::double precision
    )`.execute(db);
  const { kind = 'crowded', wait_ms: waitMs = patienceMs, is_reserved: isReserved = false } = rows[0] ?? {};
  return kind === 'crowded' ? { kind, waitMs, isReserved } : { kind, waitMs };
}

/**
 * Ends a turn. The next one with one of its keys begins after `pauseMs` at the earliest. It locks the keys in their order,
 * like `take_turn`, so that no two wait for each other.
 */
export async function endTurn(db: Db, id: string, pauseMs: number): Promise<void> {
  await sql`
    with ended as (delete from turns where id = ${id} returning key),
    locked as materialized (
      select key from target_paces
      where ${pauseMs}::double precision > 0 and key in (select key from ended) order by key for update
    )
    update target_paces set free_at = greatest(free_at, clock_timestamp() + ${pauseMs}::double precision * interval '1 ms')
    where key in (select key from locked)`.execute(db);
}

/** Nothing is sent to this host for so long, because it asked for it. */
export async function closeHost(db: Db, key: string, pauseMs: number): Promise<void> {
  await sql`
    insert into target_paces as known (key, free_at, closed_until)
    values (${key}, '-infinity', clock_timestamp() + ${pauseMs}::double precision * interval '1 ms')
    on conflict (key) do update set closed_until = greatest(known.closed_until, excluded.closed_until)`.execute(
    db,
  );
}

/** Deletes what no turn needs any more. */
export async function purgeTurns(db: Db): Promise<void> {
  await sql`delete from turns where until < now() - interval '1 hour'`.execute(db);
  await sql`
    delete from target_paces where key in (
      select key from target_paces as pace
      where greatest(free_at, closed_until, reserved_until) < now() - interval '1 hour'
        and not exists (select from turns where turns.key = pace.key)
      for update skip locked
    )`.execute(db);
}

/**
 * One function, so that a turn costs one statement. It locks its keys in their order, so that no two wait for each other.
 * What these tables hold is of the last minutes, so an earlier form of them is dropped.
 */
export async function createTurns(db: Kysely<unknown>): Promise<void> {
  await sql`drop table if exists target_paces, turns`.execute(db);
  await sql`drop function if exists take_turn`.execute(db);
  await sql`
    create unlogged table target_paces (
      key text primary key,
      free_at timestamptz not null,
      closed_until timestamptz not null default '-infinity',
      reserved_until timestamptz not null default '-infinity'
    )`.execute(db);
  await sql`
    create unlogged table turns (
      key text not null,
      id text not null,
      places integer not null,
      until timestamptz not null,
      primary key (key, id)
    )`.execute(db);
  await sql`create index turns_by_id on turns (id)`.execute(db);
  await sql`
    create function take_turn(
      wanted text[], turn_id text, wanted_places integer, max_places integer, step_ms double precision,
      lasts_ms double precision, patience_ms double precision,
      out kind text, out wait_ms double precision, out is_reserved boolean
    ) language plpgsql as $$
      declare
        present timestamptz;
        begins_at timestamptz;
        closed_at timestamptz;
        reserved_at timestamptz;
        taken integer;
        whole boolean;
        patience interval := patience_ms * interval '1 ms';
      begin
        insert into target_paces (key, free_at) select key, '-infinity' from unnest(wanted) as key order by key
        on conflict do nothing;
        perform from target_paces where key = any(wanted) order by key for update;
        present := clock_timestamp();
        -- One that ends at this moment is deleted by its own process.
        delete from turns where (key, id) in (
          select key, id from turns where key = any(wanted) and until < present for update skip locked
        );
        select coalesce(max(sum), 0), coalesce(bool_or(has_whole), false) into taken, whole from (
          select sum(places), bool_or(places >= max_places and max_places > 1) as has_whole
          from turns where key = any(wanted) and until >= present group by key
        ) as sums;
        select greatest(present, max(free_at)), greatest(present, max(closed_until)), max(reserved_until)
        into begins_at, closed_at, reserved_at from target_paces where key = any(wanted);
        is_reserved := false;
        if closed_at > present + patience then
          kind := 'closed';
          wait_ms := extract(epoch from closed_at - present) * 1000;
          return;
        end if;
        begins_at := greatest(begins_at, closed_at);
        wait_ms := extract(epoch from begins_at - present) * 1000;
        if wait_ms <= patience_ms and taken + wanted_places <= max_places
          and (wanted_places > 1 or reserved_at <= present)
        then
          kind := 'granted';
          update target_paces set free_at = begins_at + step_ms * interval '1 ms' where key = any(wanted);
          insert into turns (key, id, places, until)
          select key, turn_id, wanted_places, begins_at + lasts_ms * interval '1 ms' from unnest(wanted) as key;
          return;
        end if;
        kind := 'crowded';
        wait_ms := greatest(wait_ms, patience_ms);
        -- A turn that needs several places would never find them free while others take single ones. For most of the
        -- time the host stays open to those, also while others wait for all places.
        if wanted_places > 1 and not whole and reserved_at <= present - 6 * patience then
          is_reserved := true;
          wait_ms := patience_ms;
          update target_paces set reserved_until = present + 1.5 * patience where key = any(wanted);
        end if;
      end
    $$`.execute(db);
}
