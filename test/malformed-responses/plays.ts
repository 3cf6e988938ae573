import { families } from './all-behaviours.ts';
import { ENDPOINTS } from './behaviour.ts';
import type { Play } from './run-play.ts';

/** Every behaviour on every endpoint. Families take turns, so that what is large does not come all at once. */
export function allPlays(): readonly Play[] {
  const plays = families.map((family, shift) =>
    ENDPOINTS.flatMap((_, turn) =>
      family.map((behaviour, index): Play => {
        const endpoint = ENDPOINTS[(index + turn + shift) % ENDPOINTS.length] ?? 'health';
        return { behaviour, endpoint };
      }),
    ),
  );
  return spread(plays);
}

/** A few behaviours of each family on one endpoint, the endpoints and the families taking turns. */
export function somePlays(): readonly Play[] {
  const plays = families.map((family, shift) =>
    family
      .filter((_, index) => index % 29 === shift % 29)
      .map((behaviour, index): Play => {
        return { behaviour, endpoint: ENDPOINTS[(index + shift) % ENDPOINTS.length] ?? 'health' };
      }),
  );
  return spread(plays);
}

/** One list of several, in which the items of each are as far apart as they can be. */
function spread<T>(lists: readonly (readonly T[])[]): readonly T[] {
  return lists
    .flatMap((list) => list.map((item, index) => ({ item, at: (index + 0.5) / list.length })))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
