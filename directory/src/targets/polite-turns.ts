import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  type Exchange,
  type HttpExchange,
  headerValue,
  isRateLimit,
  retryAfterMs,
  type TestResult,
  TOO_MANY_REQUESTS,
} from 'probity/model';
import { findAddresses } from 'probity/service';
import type { Db } from '../db/tables.ts';
import type { EntryTarget } from '../entries/entries.ts';
import type { Budget, ServiceSettings } from '../settings/settings.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { closeHost, endTurn, type GivenTurn, type TurnRequest, takeTurn } from './turns.ts';

/** The work is done; or its host or address has no turn for so long, and nothing was sent. */
export type Turn<Value> = { readonly kind: 'done'; readonly value: Value } | Later;

export interface Later {
  readonly kind: 'later';
  readonly afterMs: number;
  /** `closed`: the host asked not to be called. `crowded`: other work of the directory has it. */
  readonly because: 'closed' | 'crowded';
}

/** The answers of a test that may ask for a wait. */
type Answers = Pick<TestResult, 'exchanges' | 'errors'>;

/** A longer wait would keep a place of the worker from other targets. */
const PATIENCE_MS = 1000;
/** Work with several requests would never end if it could not wait for its next one. */
const PATIENCE_TURNS = 3;
const REQUEST_LASTS_MS = 30_000;
/** A target that asks for more time is asked again all the same. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** For a 429 without Retry-After. */
const DEFAULT_RETRY_AFTER_MS = 60_000;
/** A name that is not found in this time has its own pace only. */
const FIND_ADDRESSES_MS = 2000;
/** A name with more is counted at these only, so that a stranger's name cannot occupy the addresses of many others. */
const MAX_ADDRESSES = 8;
/** The requests of a test that has ended count for a second. */
const AFTER_TEST_MS = 1000;

type Shape = Pick<TurnRequest, 'places' | 'lastsMs'> & { readonly pauseMs: number };

/** Sends nothing to a host or an address faster than the budget allows, all processes of the directory together. */
export class PoliteTurns {
  readonly #db: Db;
  readonly #settings: Pick<ServiceSettings, 'budget' | 'publicOnly'>;
  readonly #metrics: Pick<Metrics, 'noteTurn'>;

  constructor(given: {
    readonly store: { readonly db: Db };
    readonly settings: Pick<ServiceSettings, 'budget' | 'publicOnly'>;
    readonly metrics: Pick<Metrics, 'noteTurn'>;
  }) {
    this.#db = given.store.db;
    this.#settings = given.settings;
    this.#metrics = given.metrics;
  }

  /** Sends one request. If its answer asks for a wait, all URLs of the host wait. */
  request(target: EntryTarget, send: () => Promise<HttpExchange>): Promise<Turn<HttpExchange>> {
    const shape = { places: 1, lastsMs: REQUEST_LASTS_MS, pauseMs: 0 };
    return this.#inTurn(target, shape, async () => {
      const exchange = await send();
      await this.heed(target, { exchanges: [exchange], errors: [] });
      return exchange;
    });
  }

  /** A whole test, with its host and address to itself. */
  test<Value>(target: EntryTarget, lastsMs: number, work: () => Promise<Value>): Promise<Turn<Value>> {
    const places = this.#settings.budget?.inFlight ?? 1;
    return this.#inTurn(target, { places, lastsMs, pauseMs: AFTER_TEST_MS }, work);
  }

  /** Closes the host for the time that the answers to other requests ask for. */
  async heed(target: EntryTarget, { exchanges, errors }: Answers): Promise<void> {
    const { budget, publicOnly } = this.#settings;
    const untilMs = Math.max(
      0,
      ...exchanges.map(askedToWaitUntilMs),
      errors.some(({ status }) => status === TOO_MANY_REQUESTS) ? Date.now() + DEFAULT_RETRY_AFTER_MS : 0,
    );
    const waitMs = untilMs - Date.now();
    if (budget !== null && waitMs > 0) await closeHost(this.#db, await hostKeyOf(target, publicOnly), waitMs);
  }

  async #inTurn<Value>(
    target: EntryTarget,
    { places, lastsMs, pauseMs }: Shape,
    work: () => Promise<Value>,
  ): Promise<Turn<Value>> {
    const { budget, publicOnly } = this.#settings;
    if (budget === null) return { kind: 'done', value: await work() };
    const keys = await keysOf(target, publicOnly);
    const id = randomUUID();
    const patienceMs = Math.max(PATIENCE_MS, (PATIENCE_TURNS * 1000) / budget.perSecond);
    const turn = { keys, id, places, lastsMs, patienceMs };
    let taken = await this.#take(turn, budget);
    if (taken.kind === 'crowded' && taken.isReserved) {
      // Nobody else begins meanwhile, so that the places are probably free then.
      await setTimeout(taken.waitMs);
      taken = await this.#take(turn, budget);
    }
    if (taken.kind !== 'granted') return { kind: 'later', afterMs: taken.waitMs, because: taken.kind };
    try {
      if (taken.waitMs > 0) await setTimeout(taken.waitMs);
      return { kind: 'done', value: await work() };
    } finally {
      await endTurn(this.#db, id, pauseMs);
    }
  }

  async #take(turn: TurnRequest, budget: Budget): Promise<GivenTurn> {
    const taken = await takeTurn(this.#db, turn, budget);
    this.#metrics.noteTurn(taken.kind === 'granted' ? 'granted' : 'later', taken.waitMs);
    return taken;
  }
}

/** Until when an answer asks not to be asked again; 0 when it does not. */
function askedToWaitUntilMs(exchange: Exchange): number {
  if (exchange.kind !== 'answered') return 0;
  const { startedAtMs, durationMs } = exchange.timing;
  const answeredAtMs = startedAtMs + durationMs;
  const { status, headers } = exchange.response;
  const retryAfter = headerValue(headers, 'retry-after');
  if (!isRateLimit(status, retryAfter)) return 0;
  const waitMs = retryAfterMs(retryAfter, answeredAtMs) ?? DEFAULT_RETRY_AFTER_MS;
  return answeredAtMs + Math.min(MAX_RETRY_AFTER_MS, waitMs);
}

/** The host and the addresses that its name has now, each written in one way; an address is its only key. */
async function keysOf(target: EntryTarget, publicOnly: boolean): Promise<readonly string[]> {
  const host = hostOf(target);
  const found = await findAddresses(host.replace(/^\[|\]$/g, ''), {
    publicOnly,
    timeoutMs: FIND_ADDRESSES_MS,
  }).catch(() => []);
  const addresses = found.slice(0, MAX_ADDRESSES).map((address) => `address:${address}`);
  return isAddress(host) && addresses.length > 0 ? addresses : [`host:${host}`, ...addresses];
}

/** The key that is closed when the host asks for it: other hosts at its addresses did not ask. */
async function hostKeyOf(target: EntryTarget, publicOnly: boolean): Promise<string> {
  const host = hostOf(target);
  const [first] = isAddress(host) ? await keysOf(target, publicOnly) : [];
  return first ?? `host:${host}`;
}

/** A name with and without its last dot is the same host. */
function hostOf({ endpoint }: EntryTarget): string {
  return new URL(endpoint).hostname.replace(/\.$/, '');
}

/** Whether the host of a URL is an IP address and not a name; `URL` writes addresses in one way. */
export function isAddress(host: string): boolean {
  return /^\[|^\d+(\.\d+){3}$/.test(host);
}
