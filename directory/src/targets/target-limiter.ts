import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type HttpExchange, type TestResult, TOO_MANY_REQUESTS } from 'probity/model';
import { gathered } from '../db/gathered.ts';
import { firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { EntryTarget } from '../entries/entries.ts';
import type { Budget, ServiceSettings } from '../settings/settings.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { askedToWaitUntilMs, closeEndpoint, DEFAULT_RETRY_AFTER_MS } from './closed-targets.ts';
import { keysOf } from './target-keys.ts';

/** The work is done; or its host or address has no lease for so long, and nothing was sent. */
export type Limited<Value> = { readonly kind: 'done'; readonly value: Value } | Later;

export interface Later {
  readonly kind: 'later';
  readonly afterMs: number;
  /** `closed`: the target, or others of its host, asked not to be called. `crowded`: other work of the directory has it. */
  readonly because: 'closed' | 'crowded';
}

/** The answers of a test that may ask for a wait. */
type Answers = Pick<TestResult, 'exchanges' | 'errors'>;

/** A longer wait would keep a slot of the worker from other targets. */
const PATIENCE_MS = 1000;
/** Work with several requests would never end if it could not wait for its next one. */
const PATIENCE_LEASES = 3;
const REQUEST_LASTS_MS = 30_000;
/** The requests of a test that has ended count for a second. */
const AFTER_TEST_MS = 1000;

interface TurnParts {
  readonly store: { readonly db: Db };
  readonly settings: Pick<ServiceSettings, 'budget' | 'publicOnly'>;
  readonly metrics: Pick<Metrics, 'noteLease'>;
}

/** Sends nothing to a host or an address faster than the budget allows, all processes of the directory together. */
export class TargetLimiter {
  readonly #db: Db;
  readonly #settings: TurnParts['settings'];
  readonly #metrics: TurnParts['metrics'];
  readonly #endRequest = gathered((ids) => endLeases(this.#db, ids, 0));

  constructor({ store, settings, metrics }: TurnParts) {
    this.#db = store.db;
    this.#settings = settings;
    this.#metrics = metrics;
  }

  /** Sends one request. If its answer asks for a wait, the target waits, and its host for a short time. */
  request(target: EntryTarget, send: () => Promise<HttpExchange>): Promise<Limited<HttpExchange>> {
    const shape = { slots: 1, lastsMs: REQUEST_LASTS_MS, pauseMs: 0 };
    return this.#withLease(target, shape, async () => {
      const exchange = await send();
      await this.heed(target, { exchanges: [exchange], errors: [] });
      return exchange;
    });
  }

  /** A whole test, with its host and address to itself. */
  test<Value>(target: EntryTarget, lastsMs: number, work: () => Promise<Value>): Promise<Limited<Value>> {
    const slots = this.#settings.budget?.inFlight ?? 1;
    return this.#withLease(target, { slots, lastsMs, pauseMs: AFTER_TEST_MS }, work);
  }

  /** Closes the target for the time that the answers to other requests ask for, and its host for a short one. */
  async heed(target: EntryTarget, { exchanges, errors }: Answers): Promise<void> {
    const { budget, publicOnly } = this.#settings;
    const untilMs = Math.max(
      0,
      ...exchanges.map(askedToWaitUntilMs),
      errors.some(({ status }) => status === TOO_MANY_REQUESTS) ? Date.now() + DEFAULT_RETRY_AFTER_MS : 0,
    );
    const waitMs = untilMs - Date.now();
    if (budget !== null && waitMs > 0)
      await closeEndpoint(this.#db, await keysOf(target, publicOnly), waitMs);
  }

  async #withLease<Value>(
    target: EntryTarget,
    { pauseMs, ...shape }: Pick<LeaseRequest, 'slots' | 'lastsMs'> & { readonly pauseMs: number },
    work: () => Promise<Value>,
  ): Promise<Limited<Value>> {
    const { budget, publicOnly } = this.#settings;
    if (budget === null) return { kind: 'done', value: await work() };
    const { host, endpoint, addresses } = await keysOf(target, publicOnly);
    const keys = [...new Set([endpoint, host, ...addresses])];
    const id = randomUUID();
    const patienceMs = Math.max(PATIENCE_MS, (PATIENCE_LEASES * 1000) / budget.perSecond);
    const lease = { ...shape, keys, id, patienceMs };
    let taken = await this.#take(lease, budget);
    if (taken.kind === 'crowded' && taken.isReserved) {
      // Nobody else begins meanwhile, so that the slots are probably free then.
      await setTimeout(taken.waitMs);
      taken = await this.#take(lease, budget);
    }
    if (taken.kind !== 'granted') return { kind: 'later', afterMs: taken.waitMs, because: taken.kind };
    try {
      if (taken.waitMs > 0) await setTimeout(taken.waitMs);
      return { kind: 'done', value: await work() };
    } finally {
      await (pauseMs === 0 ? this.#endRequest(id) : endLeases(this.#db, [id], pauseMs));
    }
  }

  async #take(lease: LeaseRequest, budget: Budget): Promise<LeaseAnswer> {
    const taken = await takeLease(this.#db, lease, budget);
    this.#metrics.noteLease(taken.kind === 'granted' ? 'granted' : 'later', taken.waitMs);
    return taken;
  }
}

interface LeaseRequest {
  /** The endpoint, the host and the addresses of a target, as `keysOf` writes them. */
  readonly keys: readonly string[];
  /** Names the lease, so that it can be ended. */
  readonly id: string;
  /** Slots of `inFlight` that it needs. */
  readonly slots: number;
  /** After this time, the process that has the lease is considered dead. */
  readonly lastsMs: number;
  /** How long the caller would wait for the lease. */
  readonly patienceMs: number;
}

/** Granted: the work may begin after `waitMs`. Otherwise it is asked for again then. */
type LeaseAnswer =
  | { readonly kind: 'granted'; readonly waitMs: number }
  /** Other work has the host or the address. `isReserved`: no single request begins until then. */
  | { readonly kind: 'crowded'; readonly waitMs: number; readonly isReserved: boolean }
  /** The target, or others of its host, asked not to be called until then. */
  | { readonly kind: 'closed'; readonly waitMs: number };

/** Leases are this much further apart than the budget requires, because a process may begin late. */
const MARGIN = 1.25;

/** Reserves a lease for all keys, or for none. Leases with a common key come one after another, at the pace of the budget. */
export async function takeLease(db: Db, lease: LeaseRequest, budget: Budget): Promise<LeaseAnswer> {
  const { keys, id, slots, lastsMs, patienceMs } = lease;
  const stepMs = (MARGIN * 1000) / budget.perSecond;
  const row = await firstRow<{ kind: LeaseAnswer['kind']; wait_ms: number; is_reserved: boolean }>(db)`
    select kind, wait_ms, is_reserved from take_lease(
      ${[...keys]}::text[], ${id}, ${slots}::integer, ${budget.inFlight}::integer, ${stepMs}::double precision,
      ${lastsMs}::double precision, ${patienceMs}::double precision
    )`;
  const { kind = 'crowded', wait_ms: waitMs = patienceMs, is_reserved: isReserved = false } = row ?? {};
  return kind === 'crowded' ? { kind, waitMs, isReserved } : { kind, waitMs };
}

/**
 * Ends leases. The next one with one of their keys begins after `pauseMs` at the earliest. It locks the keys in their order,
 * like `take_lease`, so that no two wait for each other.
 */
export async function endLeases(db: Db, ids: readonly string[], pauseMs: number): Promise<void> {
  await run(db)`
    with ended as (delete from leases where id = any(${[...ids]}::text[]) returning key),
    locked as materialized (
      select key from target_paces
      where ${pauseMs}::double precision > 0 and key in (select key from ended) order by key for update
    )
    update target_paces set free_at = greatest(free_at, clock_timestamp() + ${pauseMs}::double precision * interval '1 ms')
    where key in (select key from locked)`;
}

/** Deletes what no lease needs any more. */
export async function purgeLeases(db: Db): Promise<void> {
  await run(db)`delete from leases where until < now() - interval '1 hour'`;
  await run(db)`
    delete from target_paces where key in (
      select key from target_paces as pace
      where greatest(free_at, closed_until, reserved_until) < now() - interval '1 hour'
        and not exists (select from leases where leases.key = pace.key)
      for update skip locked
    )`;
}
