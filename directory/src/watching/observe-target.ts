import { setTimeout } from 'node:timers/promises';
import type { RawBuilder } from 'kysely';
import { type Exchange, type HttpExchange, isRateLimited } from 'probity/model';
import { findAddresses } from 'probity/service';
import { Recent } from '../db/recent.ts';
import type { Db, Gate, ObservedState as Observed } from '../db/tables.ts';
import type { EntryTarget } from '../entries/entries.ts';
import type { Service } from '../http/service.ts';
import { testEarly } from '../jobs/test-pace.ts';
import { holdsMsOf, type ServiceSettings } from '../settings/settings.ts';
import { readHealth } from '../targets/target-client.ts';
import { isAddress } from '../targets/target-keys.ts';
import type { Limited } from '../targets/target-limiter.ts';
import { gateOf, mayBeOurNetwork, stateOf } from '../targets/target-state.ts';
import { storeObservations } from './observations.ts';

/** What a read of /health shows. */
export interface ObservedState {
  readonly exchange: HttpExchange;
  /** Null: it shows nothing about the target. */
  readonly up: boolean | null;
  /** Why it is not up, in words with hyphens: `connection-refused`, `status-500`, `our-network`; null when it is. */
  readonly cause: string | null;
  /** How it asks for a key; null when it does not. */
  readonly gate: Gate | null;
}

/** Why a failure shows nothing about its target. */
export const OUR_NETWORK = 'our-network';
/** Two queries; a resolver that is slower cannot be distinguished from one that fails. */
const FIND_NAME_MS = 5000;
/** The target, or another one of its host, asked not to be called for a while. */
export const ASKED_TO_WAIT = 'asked-to-wait';
const NOT_OPERATIONAL = 'not-operational';

export type Observer = (target: EntryTarget, signal: AbortSignal) => Promise<Limited<ObservedState>>;

/** Reads /health of targets, and does not blame a target for an outage of the directory's own network. */
export function createObserver(service: Service): Observer {
  const { limiter, settings, metrics } = service;
  const { publicOnly } = settings;
  const read = (target: EntryTarget, signal?: AbortSignal): Promise<Limited<HttpExchange>> =>
    limiter.request(target, () => readHealth(target, service, signal));
  const network = new OwnNetwork({
    read: async (target) => {
      const limited = await read(target);
      return limited.kind === 'later' ? null : limited.value;
    },
    findName: (host) => findAddresses(host, { publicOnly, timeoutMs: FIND_NAME_MS }),
  });
  return async (target, signal) => {
    const limited = await read(target, signal);
    if (limited.kind === 'later') return limited;
    const exchange = limited.value;
    if (signal.aborted) return { kind: 'done', value: { exchange, up: null, cause: null, gate: null } };
    network.note(target, exchange);
    if (exchange.kind === 'answered') metrics.ownNetwork.set(1);
    const works = mayBeOurNetwork(exchange) ? await network.works(target, exchange) : null;
    if (works !== null) metrics.ownNetwork.set(works ? 1 : 0);
    const up = works === null ? stateOf(exchange) : works ? false : null;
    const cause = works === false ? OUR_NETWORK : causeOf(exchange, up);
    return { kind: 'done', value: { exchange, up, cause, gate: gateOf(exchange, target, settings) } };
  };
}

function causeOf(exchange: HttpExchange, up: boolean | null): string | null {
  if (up === true) return null;
  if (exchange.kind === 'unanswered') return exchange.reason.code;
  if (isRateLimited(exchange)) return ASKED_TO_WAIT;
  const { status } = exchange.response;
  return status === 200 ? NOT_OPERATIONAL : `status-${status}`;
}

/**
 * Stores a read of /health, unless the entry has another endpoint by now or it shows nothing.
 *
 * @param ending parts of the first statement. `ended` ends the attempt; if it returns no row, nothing is stored
 */
export async function keepObservedState(
  db: Db,
  target: EntryTarget,
  { exchange, up, gate }: ObservedState,
  settings: ServiceSettings,
  ending: RawBuilder<unknown>,
): Promise<void> {
  if (up === null) return;
  const { startedAtMs, durationMs } = exchange.timing;
  const { id, endpoint } = target;
  const observation = {
    entry_id: id,
    at: new Date(startedAtMs),
    up,
    operation: 'health',
    duration_ms: up && gate === null ? durationMs : null,
    source: 'probe',
  } as const;
  const now = new Date();
  const options = { now, holdsMs: holdsMsOf(settings), endpoint, gate, ending };
  await db.transaction().execute(async (transaction) => {
    const { before } = await storeObservations(transaction, id, [observation], options);
    // Its last test may have seen the outage, or not have seen it yet.
    const isBack =
      up && gate === null && before !== null && (before.isOpen || BACK_FROM.has(before.observed));
    if (isBack) await testEarly(transaction, id, now, settings);
  });
}

/** A new entry is tested anyway. */
const BACK_FROM: ReadonlySet<Observed> = new Set(['down', 'gated']);

interface OwnNetworkParts {
  /** Null when the target has no lease: then it shows nothing, so that a failure is not believed for it. */
  readonly read: (target: EntryTarget) => Promise<Exchange | null>;
  /** Rejects when the name is not found. */
  readonly findName: (host: string) => Promise<unknown>;
  /** How long to wait for an answer to other work before other targets are asked. */
  readonly patienceMs?: number;
}

interface Known {
  readonly target: EntryTarget;
  /** When the request began that was answered. */
  readonly begunAtMs: number;
}

const NAME_CODES: ReadonlySet<string> = new Set(['name-lookup-failed', 'name-not-found']);
const MAX_KNOWN = 8;
const MAX_ASKED = 3;
const PATIENCE_MS = 500;

/**
 * Distinguishes an outage of the directory's own network from an outage of a target. An answer that began before the
 * failure shows nothing: the network may have failed since.
 */
export class OwnNetwork {
  readonly #parts: OwnNetworkParts;
  /** By host. */
  readonly #answered = new Recent<Known>(MAX_KNOWN);
  /** Shared, so that an outage does not ask the others once for each failure. */
  #asking: { readonly begunAtMs: number; readonly anyAnswers: Promise<boolean> } | null = null;

  constructor(parts: OwnNetworkParts) {
    this.#parts = parts;
  }

  /** Records the outcome of a request. */
  note(target: EntryTarget, exchange: Exchange): void {
    if (exchange.kind === 'answered')
      this.#answered.set(hostOf(target), { target, begunAtMs: exchange.timing.startedAtMs });
  }

  /**
   * Whether this process can reach other targets after a failure: one answers a request that began later, or its name is
   * found if a name was not. Null when no other target is known that could show it.
   */
  async works(target: EntryTarget, failure: Exchange): Promise<boolean | null> {
    const others = this.#othersThan(hostOf(target));
    if (failure.kind === 'unanswered' && NAME_CODES.has(failure.reason.code)) {
      const names = others.map(([host]) => host).filter((host) => !isAddress(host));
      return names.length === 0 ? null : this.#anyNameIsFound(names.slice(-MAX_ASKED));
    }
    if (others.length === 0) return null;
    const { startedAtMs, durationMs } = failure.timing;
    const failedAtMs = startedAtMs + durationMs;
    const answeredSince = (): boolean =>
      this.#othersThan(hostOf(target)).some(([, { begunAtMs }]) => begunAtMs >= failedAtMs);
    if (!answeredSince()) await setTimeout(this.#parts.patienceMs ?? PATIENCE_MS);
    if (answeredSince()) return true;
    if (this.#asking === null || this.#asking.begunAtMs < failedAtMs) {
      const asked = others.slice(-MAX_ASKED).map(([, { target: other }]) => other);
      this.#asking = { begunAtMs: Date.now(), anyAnswers: this.#ask(asked) };
    }
    return this.#asking.anyAnswers;
  }

  #othersThan(host: string): readonly (readonly [string, Known])[] {
    return this.#answered.entries().filter(([known]) => known !== host);
  }

  async #ask(others: readonly EntryTarget[]): Promise<boolean> {
    const answers = await Promise.all(
      others.map(async (other) => {
        const exchange = await this.#parts.read(other).catch(() => null);
        if (exchange !== null) this.note(other, exchange);
        return exchange?.kind === 'answered';
      }),
    );
    return answers.includes(true);
  }

  async #anyNameIsFound(hosts: readonly string[]): Promise<boolean> {
    const found = await Promise.allSettled(hosts.map((host) => this.#parts.findName(host)));
    return found.some(({ status }) => status === 'fulfilled');
  }
}

function hostOf({ endpoint }: EntryTarget): string {
  return new URL(endpoint).hostname;
}
