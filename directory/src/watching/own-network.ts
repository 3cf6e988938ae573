import { setTimeout } from 'node:timers/promises';
import type { Exchange } from 'probity/model';
import type { EntryTarget } from '../entries/entries.ts';
import { isAddress } from '../targets/polite-turns.ts';

export interface OwnNetwork {
  /** Records the outcome of a request. */
  note(target: EntryTarget, exchange: Exchange): void;
  /**
   * Whether this process can reach other targets after a failure: one answers a request that began later, or its name is
   * found if a name was not. Null when no other target is known that could show it.
   */
  works(target: EntryTarget, failure: Exchange): Promise<boolean | null>;
}

interface OwnNetworkParts {
  /** Null when the target has no turn: then it shows nothing, so that a failure is not believed for it. */
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
export function createOwnNetwork({ read, findName, patienceMs = PATIENCE_MS }: OwnNetworkParts): OwnNetwork {
  const answered = new Map<string, Known>();
  /** Shared, so that an outage does not ask the others once for each failure. */
  let asking: { readonly begunAtMs: number; readonly anyAnswers: Promise<boolean> } | null = null;

  const note: OwnNetwork['note'] = (target, exchange) => {
    if (exchange.kind !== 'answered') return;
    const host = hostOf(target);
    answered.delete(host);
    answered.set(host, { target, begunAtMs: exchange.timing.startedAtMs });
    const [oldest] = answered.keys();
    if (answered.size > MAX_KNOWN && oldest !== undefined) answered.delete(oldest);
  };
  const othersThan = (host: string): readonly (readonly [string, Known])[] =>
    [...answered].filter(([known]) => known !== host);
  const answeredSince = (host: string, atMs: number): boolean =>
    othersThan(host).some(([, { begunAtMs }]) => begunAtMs >= atMs);
  const ask = async (others: readonly EntryTarget[]): Promise<boolean> => {
    const answers = await Promise.all(
      others.map(async (other) => {
        const exchange = await read(other).catch(() => null);
        if (exchange !== null) note(other, exchange);
        return exchange?.kind === 'answered';
      }),
    );
    return answers.includes(true);
  };
  const anyNameIsFound = async (hosts: readonly string[]): Promise<boolean | null> => {
    if (hosts.length === 0) return null;
    const found = await Promise.all(
      hosts.map((host) =>
        findName(host).then(
          () => true,
          () => false,
        ),
      ),
    );
    return found.includes(true);
  };
  return {
    note,
    works: async (target, failure) => {
      const host = hostOf(target);
      const others = othersThan(host).slice(-MAX_ASKED);
      if (failure.kind === 'unanswered' && NAME_CODES.has(failure.reason.code))
        return anyNameIsFound(
          othersThan(host)
            .map(([name]) => name)
            .filter((name) => !isAddress(name))
            .slice(-MAX_ASKED),
        );
      if (others.length === 0) return null;
      const { startedAtMs, durationMs } = failure.timing;
      const failedAtMs = startedAtMs + durationMs;
      if (!answeredSince(host, failedAtMs)) await setTimeout(patienceMs);
      if (answeredSince(host, failedAtMs)) return true;
      if (asking === null || asking.begunAtMs < failedAtMs)
        asking = { begunAtMs: Date.now(), anyAnswers: ask(others.map(([, { target: other }]) => other)) };
      return asking.anyAnswers;
    },
  };
}

function hostOf({ endpoint }: EntryTarget): string {
  return new URL(endpoint).hostname;
}
