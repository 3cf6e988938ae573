import type { TaggedBody } from '../http/cached-answer.ts';
import type { ChangeWatch } from '../store/change-watch.ts';

/** An answer to a search that is sent to all callers who ask the same. */
export interface SearchAnswer extends TaggedBody {
  /** The header Link. */
  readonly links: string;
  readonly ids: readonly string[];
  /** Which entries match also depends on figures, which change with every probe. */
  readonly filtersByFigures: boolean;
  /** The last change of a label that the answer contains. */
  readonly labels: string;
}

/** Reads an answer from the store. */
export type ReadAnswer = () => Promise<SearchAnswer>;

/** Returns the answer to a request: one of an earlier request while it is still right. */
export type SharedAnswers = (request: string, read: ReadAnswer) => Promise<SearchAnswer>;

const MAX_ANSWERS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** An answer that depends on figures may be this old, because in a large directory some figure changes all the time. */
const MAX_FIGURES_AGE_MS = 1000;

interface Kept {
  readonly answer: SearchAnswer;
  /** The last look at the store before the answer was read. */
  readonly since: number;
  readonly readAtMs: number;
}

/**
 * Shares answers among equal requests for as long as no change of the store affects them. `watch` must have looked at
 * the store since the request arrived.
 */
export function createSharedAnswers(watch: ChangeWatch): SharedAnswers {
  const kept = new Map<string, Kept>();
  const underWay = new Map<string, Promise<Kept>>();
  let bytes = 0;

  const isRight = ({ answer, since, readAtMs }: Kept): boolean => {
    if (answer.labels !== watch.latest()?.labels || watch.anyChanged(answer.ids, since)) return false;
    return (
      !answer.filtersByFigures || !watch.changed(since) || performance.now() - readAtMs < MAX_FIGURES_AGE_MS
    );
  };
  const drop = (request: string): void => {
    bytes -= kept.get(request)?.answer.body.byteLength ?? 0;
    kept.delete(request);
  };
  const keep = (request: string, one: Kept): void => {
    drop(request);
    kept.set(request, one);
    bytes += one.answer.body.byteLength;
    while (kept.size > MAX_ANSWERS || bytes > MAX_BYTES) {
      const [oldest] = kept.keys();
      if (oldest === undefined) return;
      drop(oldest);
    }
  };
  const readAgain = (request: string, read: ReadAnswer): Promise<Kept> => {
    const since = watch.latest()?.number ?? 0;
    const readAtMs = performance.now();
    const reading = read()
      .then((answer) => {
        const one = { answer, since, readAtMs };
        keep(request, one);
        return one;
      })
      .finally(() => {
        if (underWay.get(request) === reading) underWay.delete(request);
      });
    underWay.set(request, reading);
    return reading;
  };
  return async (request, read) => {
    const known = kept.get(request);
    if (known !== undefined && isRight(known)) {
      // The least recently used is dropped first.
      kept.delete(request);
      kept.set(request, known);
      return known.answer;
    }
    // It may have begun before a change that this request must see.
    const shared = await underWay.get(request)?.catch(() => undefined);
    if (shared !== undefined && isRight(shared)) return shared.answer;
    return (await readAgain(request, read)).answer;
  };
}
