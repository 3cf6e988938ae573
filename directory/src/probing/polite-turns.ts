import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Exchange, headerValue, isRateLimited, retryAfterMs } from 'probity/model';
import { findAddress } from 'probity/service';
import type { Service } from '../http/service.ts';
import type { Budget } from '../settings/service-settings.ts';
import type { EntryTarget } from '../store/entries.ts';
import { endTurn, postponeTurns, type TurnRequest, takeTurn } from '../store/turns.ts';
import { isAddress } from './is-address.ts';

/** The work is done; or its host or address has no turn for so long, and nothing was sent. */
export type Turn<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'later'; readonly afterMs: number };

/** Sends nothing to a host or an address faster than the budget allows, all processes of the directory together. */
export interface PoliteTurns {
  /** Sends one request. If its answer asks for a wait, all URLs of the host wait. */
  request(target: EntryTarget, send: () => Promise<Exchange>): Promise<Turn<Exchange>>;
  /** A whole test, with its host and address to itself. */
  test<Value>(target: EntryTarget, lastsMs: number, work: () => Promise<Value>): Promise<Turn<Value>>;
}

/** A longer wait would keep a place of the worker from other targets. */
const PATIENCE_MS = 1000;
const REQUEST_LASTS_MS = 30_000;
/** A target that asks for more time is asked again all the same. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** For a 429 without Retry-After. */
const DEFAULT_RETRY_AFTER_MS = 60_000;
/** A name that is not found in this time has its own pace only. */
const FIND_ADDRESS_MS = 2000;
/** The requests of a test that has ended count for a second. */
const AFTER_TEST_MS = 1000;

export function createPoliteTurns({
  store: { db },
  settings: { budget, publicOnly },
  metrics,
}: Pick<Service, 'store' | 'settings' | 'metrics'>): PoliteTurns {
  const inTurn = async <Value>(
    target: EntryTarget,
    { places, lastsMs, pauseMs }: Pick<TurnRequest, 'places' | 'lastsMs'> & { readonly pauseMs: number },
    given: Budget,
    work: (host: string) => Promise<Value>,
  ): Promise<Turn<Value>> => {
    const keys = await keysOf(target, publicOnly);
    const id = randomUUID();
    const turn = { keys, id, places, lastsMs, patienceMs: PATIENCE_MS };
    const { granted, waitMs } = await takeTurn(db, turn, given);
    metrics.noteTurn(granted ? 'granted' : 'later', waitMs);
    if (!granted) return { kind: 'later', afterMs: waitMs };
    try {
      if (waitMs > 0) await setTimeout(waitMs);
      return { kind: 'done', value: await work(keys[0]) };
    } finally {
      await endTurn(db, id, pauseMs);
    }
  };
  return {
    request: async (target, send) => {
      if (budget === null) return { kind: 'done', value: await send() };
      const shape = { places: 1, lastsMs: REQUEST_LASTS_MS, pauseMs: 0 };
      return inTurn(target, shape, budget, async (host) => {
        const exchange = await send();
        const pauseMs = askedToWaitMs(exchange);
        if (pauseMs !== null) await postponeTurns(db, host, pauseMs);
        return exchange;
      });
    },
    test: async (target, lastsMs, work) => {
      if (budget === null) return { kind: 'done', value: await work() };
      const shape = { places: budget.inFlight, lastsMs, pauseMs: AFTER_TEST_MS };
      return inTurn(target, shape, budget, () => work());
    },
  };
}

/** How long an answer asks not to be asked again; null when it does not. */
function askedToWaitMs(exchange: Exchange): number | null {
  if (exchange.kind !== 'answered' || !isRateLimited(exchange)) return null;
  const field = headerValue(exchange.response.headers, 'retry-after');
  return Math.min(MAX_RETRY_AFTER_MS, retryAfterMs(field, Date.now()) ?? DEFAULT_RETRY_AFTER_MS);
}

/** The host, and the address that its name has now; one key for an address. */
async function keysOf(
  { endpoint }: EntryTarget,
  publicOnly: boolean,
): Promise<readonly [string, ...string[]]> {
  const host = new URL(endpoint).hostname;
  if (isAddress(host)) return [`address:${host.replace(/^\[|\]$/g, '')}`];
  const found = await findAddress(host, { publicOnly, timeoutMs: FIND_ADDRESS_MS }).catch(() => null);
  return found === null ? [`host:${host}`] : [`host:${host}`, `address:${found}`];
}
