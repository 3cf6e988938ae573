import type { ChangeWatch } from '../db/change-watch.ts';
import { Recent } from '../db/recent.ts';
import type { TaggedBody } from '../http/cached-answer.ts';
import type { FoundRecords } from './search.ts';
import type { SearchQuery } from './search-query.ts';

/** What the answer to a search depends on. */
interface Basis {
  readonly ids: readonly string[];
  /** Which entries match, in which order, also depends on figures and states, which change with every probe. */
  readonly dependsOnFigures: boolean;
  /** The last change of a label that the answer contains. */
  readonly labels: string;
}

/** An answer to a search that is sent to all callers who ask the same. */
export interface SharedAnswer extends TaggedBody {
  readonly basis: Basis;
}

export function basisOf(
  { minUptime, maxResponseTimeMs, updatedSince, statuses, verdict, sort, facets }: SearchQuery,
  { servers, lastChange }: FoundRecords,
): Basis {
  return {
    ids: servers.map(({ id }) => id),
    dependsOnFigures:
      minUptime !== null ||
      maxResponseTimeMs !== null ||
      updatedSince !== null ||
      statuses.length > 0 ||
      verdict !== null ||
      (sort !== null && sort !== 'name') ||
      facets,
    labels: lastChange,
  };
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Beside its body; also bounds the number of answers. */
const BYTES_OF_AN_ANSWER = 4096;
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
 * the store since the request arrived. Returns a function that finds the answer to a request: one of an earlier request
 * while it is still right, or what `read` returns.
 */
export function shareAnswers<Answer extends SharedAnswer>(watch: ChangeWatch) {
  const remembered = new Recent<Kept<Answer>>(
    MAX_BYTES,
    ({ answer }) => answer.body.byteLength + BYTES_OF_AN_ANSWER,
  );
  const underWay = new Map<string, Promise<Kept<Answer>>>();
  const isRight = ({ answer: { basis }, since, readAtMs }: Kept<Answer>): boolean => {
    if (basis.labels !== watch.latest?.labels || watch.anyChanged(basis.ids, since)) return false;
    const isRecent = performance.now() - readAtMs < MAX_FIGURES_AGE_MS;
    return !basis.dependsOnFigures || !watch.changed(since) || isRecent;
  };
  const readAndKeep = async (request: string, read: () => Promise<Answer>): Promise<Kept<Answer>> => {
    const [since, readAtMs] = [watch.latest?.number ?? 0, performance.now()];
    const kept = { answer: await read(), since, readAtMs };
    remembered.set(request, kept);
    return kept;
  };
  return async (request: string, read: () => Promise<Answer>): Promise<Answer> => {
    const known = remembered.get(request);
    if (known !== undefined && isRight(known)) return known.answer;
    // It may have begun before a change that this request must see.
    const shared = await underWay.get(request)?.catch(() => undefined);
    if (shared !== undefined && isRight(shared)) return shared.answer;
    const reading = readAndKeep(request, read).finally(() => {
      if (underWay.get(request) === reading) underWay.delete(request);
    });
    underWay.set(request, reading);
    return (await reading).answer;
  };
}
