import { type HttpExchange, isRateLimited } from 'probity/model';
import { findAddresses } from 'probity/service';
import type { Db } from '../db/open-store.ts';
import type { EntryTarget } from '../entries/entries.ts';
import type { Service } from '../http/service.ts';
import { holdsMsOf, type ServiceSettings } from '../settings.ts';
import type { PoliteTurns, Turn } from '../targets/polite-turns.ts';
import { readHealth } from '../targets/target-client.ts';
import { mayBeOurNetwork, stateOf } from '../targets/target-state.ts';
import { storeObservations } from './observations.ts';
import { createOwnNetwork } from './own-network.ts';

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

export type Observe = (target: EntryTarget, signal: AbortSignal) => Promise<Turn<ObservedState>>;

/** Reads /health of targets, and does not blame a target for an outage of the directory's own network. */
export function createObserver(service: Service, turns: PoliteTurns): Observe {
  const read = async (target: EntryTarget, signal?: AbortSignal): Promise<HttpExchange> =>
    (await readHealth(target, service, signal)).exchange;
  const readInTurn = async (target: EntryTarget): Promise<HttpExchange | null> => {
    const turn = await turns.request(target, () => read(target));
    return turn.kind === 'later' ? null : turn.value;
  };
  const { publicOnly } = service.settings;
  const findName = (host: string): Promise<unknown> =>
    findAddresses(host, { publicOnly, timeoutMs: FIND_NAME_MS });
  const network = createOwnNetwork({ read: readInTurn, findName });
  const isOurNetwork = async (target: EntryTarget, exchange: HttpExchange): Promise<boolean | null> => {
    const works = await network.works(target, exchange);
    return works === null ? null : !works;
  };
  return async (target, signal) => {
    const turn = await turns.request(target, () => read(target, signal));
    if (turn.kind === 'later' || signal.aborted) return laterOrInterrupted(turn);
    const exchange = turn.value;
    network.note(target, exchange);
    if (exchange.kind === 'answered') service.metrics.noteOwnNetwork(true);
    const isOurs = mayBeOurNetwork(exchange) ? await isOurNetwork(target, exchange) : null;
    if (isOurs !== null) service.metrics.noteOwnNetwork(!isOurs);
    const up = isOurs === null ? stateOf(exchange) : isOurs ? null : false;
    return {
      kind: 'done',
      value: { exchange, up, cause: isOurs === true ? OUR_NETWORK : causeOf(exchange, up) },
    };
  };
}

function laterOrInterrupted(turn: Turn<HttpExchange>): Turn<ObservedState> {
  return turn.kind === 'later'
    ? turn
    : { kind: 'done', value: { exchange: turn.value, up: null, cause: null } };
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
