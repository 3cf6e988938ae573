import type { ChangeWatch } from '../db/change-watch.ts';
import type { TaggedBody } from '../http/cached-answer.ts';
import type { FoundRecords } from './search.ts';
import type { SearchQuery } from './search-query.ts';

/** What the answer to a search depends on. */
interface Basis {
  readonly ids: readonly string[];
  /** Which entries match also depends on figures, which change with every probe. */
  readonly filtersByFigures: boolean;
  /** The last change of a label that the answer contains. */
  readonly labels: string;
}

/** An answer to a search that is sent to all callers who ask the same. */
export interface SharedAnswer extends TaggedBody {
  readonly basis: Basis;
}

/** Returns the answer to a request: one of an earlier request while it is still right, or what `read` returns. */
export type SharedAnswers<Answer extends SharedAnswer> = (
  request: string,
  read: () => Promise<Answer>,
) => Promise<Answer>;

/** Pure. */
export function basisOf(
  { minUptime, maxResponseTimeMs, updatedSince }: SearchQuery,
  { servers, lastChange }: FoundRecords,
): Basis {
  return {
    ids: servers.map(({ id }) => id),
    filtersByFigures: minUptime !== null || maxResponseTimeMs !== null || updatedSince !== null,
    labels: lastChange,
  };
}

const MAX_ANSWERS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** An answer that depends on figures may be this old, because in a large directory some figure changes all the time. */
const MAX_FIGURES_AGE_MS = 1000;

interface Kept<Answer> {
  readonly answer: Answer;
  /** The last look at the store before the answer was read. */
  readonly since: number;
  readonly readAtMs: number;
}

/**
 * Shares answers among equal requests for as long as no change of the store affects them. `watch` must have looked at
 * the store since the request arrived.
 */
export function createSharedAnswers<Answer extends SharedAnswer>(watch: ChangeWatch): SharedAnswers<Answer> {
  const kept = new Map<string, Kept<Answer>>();
  const underWay = new Map<string, Promise<Kept<Answer>>>();
  let bytes = 0;

  const isRight = ({ answer: { basis }, since, readAtMs }: Kept<Answer>): boolean => {
    if (basis.labels !== watch.latest()?.labels || watch.anyChanged(basis.ids, since)) return false;
    return (
      !basis.filtersByFigures || !watch.changed(since) || performance.now() - readAtMs < MAX_FIGURES_AGE_MS
    );
  };
  const drop = (request: string): void => {
    bytes -= kept.get(request)?.answer.body.byteLength ?? 0;
    kept.delete(request);
  };
  const keep = (request: string, one: Kept<Answer>): void => {
    drop(request);
    kept.set(request, one);
    bytes += one.answer.body.byteLength;
    while (kept.size > MAX_ANSWERS || bytes > MAX_BYTES) {
      const [oldest] = kept.keys();
      if (oldest === undefined) return;
      drop(oldest);
    }
  };
  const readAgain = (request: string, read: () => Promise<Answer>): Promise<Kept<Answer>> => {
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
