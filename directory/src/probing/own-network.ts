import type { Exchange } from 'probity/model';
import type { EntryTarget } from '../store/entries.ts';

export interface OwnNetwork {
  /** Records the outcome of a probe. */
  note(target: EntryTarget, exchange: Exchange): void;
  /**
   * Whether this instance can reach other targets: one answered recently, or answers when it is probed again. Null when
   * no other target is known.
   */
  works(target: EntryTarget): Promise<boolean | null>;
}

/** How long an answer proves that the network works. */
const RECENT_MS = 5000;
const MAX_KNOWN = 8;
const MAX_PROBED = 3;

/** Distinguishes an outage of the directory's own network from an outage of a target, by probing other targets. */
export function createOwnNetwork(
  read: (target: EntryTarget) => Promise<Exchange>,
  nowMs: () => number = Date.now,
): OwnNetwork {
  const answered = new Map<string, { readonly target: EntryTarget; readonly atMs: number }>();
  const note = (target: EntryTarget, exchange: Exchange): void => {
    if (exchange.kind !== 'answered') return;
    const host = hostOf(target);
    answered.delete(host);
    answered.set(host, { target, atMs: nowMs() });
    const [oldest] = answered.keys();
    if (answered.size > MAX_KNOWN && oldest !== undefined) answered.delete(oldest);
  };
  return {
    note,
    works: async (target) => {
      const others = [...answered].filter(([host]) => host !== hostOf(target)).map(([, known]) => known);
      if (others.length === 0) return null;
      if (others.some(({ atMs }) => nowMs() - atMs <= RECENT_MS)) return true;
      const answers = await Promise.all(
        others.slice(-MAX_PROBED).map(async ({ target: other }) => {
          const exchange = await read(other).catch(() => null);
          if (exchange !== null) note(other, exchange);
          return exchange?.kind === 'answered';
        }),
      );
      return answers.includes(true);
    },
  };
}

function hostOf({ endpoint }: EntryTarget): string {
  return new URL(endpoint).hostname;
}
