import { type HttpExchange, isRateLimited } from 'probity/model';
import { findAddresses } from 'probity/service';
import type { Db } from '../db/tables.ts';
import type { EntryTarget } from '../entries/entries.ts';
import type { Service } from '../http/service.ts';
import { holdsMsOf, type ServiceSettings } from '../settings/settings.ts';
import type { Turn } from '../targets/polite-turns.ts';
import { readHealth } from '../targets/target-client.ts';
import { mayBeOurNetwork, stateOf } from '../targets/target-state.ts';
import { storeObservations } from './observations.ts';
import { OwnNetwork } from './own-network.ts';

/** What a read of /health shows. */
export interface ObservedState {
  readonly exchange: HttpExchange;
  /** Null: it shows nothing about the target. */
  readonly up: boolean | null;
  /** Why it is not up, in words with hyphens: `connection-refused`, `status-500`, `our-network`; null when it is. */
  readonly cause: string | null;
}

/** Why a failure shows nothing about its target. */
export const OUR_NETWORK = 'our-network';
/** Two queries; a resolver that is slower cannot be distinguished from one that fails. */
const FIND_NAME_MS = 5000;
/** The target, or another one of its host, asked not to be called for a while. */
export const ASKED_TO_WAIT = 'asked-to-wait';
const NOT_OPERATIONAL = 'not-operational';

export type Observer = (target: EntryTarget, signal: AbortSignal) => Promise<Turn<ObservedState>>;

/** Reads /health of targets, and does not blame a target for an outage of the directory's own network. */
export function createObserver(service: Service): Observer {
  const { turns, settings, metrics } = service;
  const { publicOnly } = settings;
  const read = (target: EntryTarget, signal?: AbortSignal): Promise<Turn<HttpExchange>> =>
    turns.request(target, async () => (await readHealth(target, service, signal)).exchange);
  const network = new OwnNetwork({
    read: async (target) => {
      const turn = await read(target);
      return turn.kind === 'later' ? null : turn.value;
    },
    findName: (host) => findAddresses(host, { publicOnly, timeoutMs: FIND_NAME_MS }),
  });
  return async (target, signal) => {
    const turn = await read(target, signal);
    if (turn.kind === 'later') return turn;
    const exchange = turn.value;
    if (signal.aborted) return { kind: 'done', value: { exchange, up: null, cause: null } };
    network.note(target, exchange);
    if (exchange.kind === 'answered') metrics.ownNetwork.set(1);
    const works = mayBeOurNetwork(exchange) ? await network.works(target, exchange) : null;
    if (works !== null) metrics.ownNetwork.set(works ? 1 : 0);
    const up = works === null ? stateOf(exchange) : works ? false : null;
    const cause = works === false ? OUR_NETWORK : causeOf(exchange, up);
    return { kind: 'done', value: { exchange, up, cause } };
  };
}

function causeOf(exchange: HttpExchange, up: boolean | null): string | null {
  if (up === true) return null;
  if (exchange.kind === 'unanswered') return exchange.reason.code;
  if (isRateLimited(exchange)) return ASKED_TO_WAIT;
  const { status } = exchange.response;
  return status === 200 ? NOT_OPERATIONAL : `status-${status}`;
}

/** Stores a read of /health, in the transaction `db`, unless the entry has another endpoint by now or it shows nothing. */
export async function keepObservedState(
  db: Db,
  target: EntryTarget,
  { exchange, up }: ObservedState,
  settings: ServiceSettings,
): Promise<void> {
  if (up === null) return;
  const { startedAtMs, durationMs } = exchange.timing;
  const observation = {
    entry_id: target.id,
    at: new Date(startedAtMs),
    up,
    operation: 'health',
    duration_ms: up ? durationMs : null,
    source: 'probe',
  } as const;
  const { id, endpoint } = target;
  await storeObservations(db, id, [observation], {
    now: new Date(),
    holdsMs: holdsMsOf(settings),
    endpoint,
  });
}
