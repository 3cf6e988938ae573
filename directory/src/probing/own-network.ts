import type { Exchange } from 'probity/model';
import type { EntryTarget } from '../store/entries.ts';

export interface OwnNetwork {
  /** Takes note of what came of a probe. */
  note(target: EntryTarget, exchange: Exchange): void;
  /**
   * Whether this instance still reaches anybody else: another target that answered lately, or one that does when it is
   * asked again. Null when it knows none.
   */
  works(target: EntryTarget): Promise<boolean | null>;
}

/** An answer says so long that the network is there. */
const LATELY_MS = 5000;
const MAX_KNOWN = 8;
const MAX_ASKED = 3;

/** Tells an outage of our own network from one of a target, by other targets. */
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
      if (others.some(({ atMs }) => nowMs() - atMs <= LATELY_MS)) return true;
      const answers = await Promise.all(
        others.slice(-MAX_ASKED).map(async ({ target: other }) => {
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
