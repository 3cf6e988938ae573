import { families } from './all-behaviours.ts';
import { ENDPOINTS } from './behaviour.ts';
import type { Play } from './run-play.ts';

/** Every behaviour on every endpoint. Families alternate, so that large behaviours do not run at the same time. */
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

/** A few behaviours of each family, on alternating endpoints. */
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

/** Merges lists so that the items of each list are as far apart as possible. */
function spread<T>(lists: readonly (readonly T[])[]): readonly T[] {
  return lists
    .flatMap((list) => list.map((item, index) => ({ item, at: (index + 0.5) / list.length })))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
