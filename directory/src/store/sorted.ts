type Compare<Item> = (one: Item, other: Item) => number;

/** Joins a sorted list and additions that are not sorted yet. Pure. */
export function withAdded<Item>(
  sorted: readonly Item[],
  added: readonly Item[],
  compare: Compare<Item>,
): Item[] {
  const fresh = [...added].sort(compare);
  const joined: Item[] = [];
  let next = 0;
  for (const item of sorted) {
    for (let other = fresh[next]; other !== undefined && compare(other, item) < 0; other = fresh[next]) {
      joined.push(other);
      next += 1;
    }
    joined.push(item);
  }
  for (; next < fresh.length; next += 1) joined.push(fresh[next] as Item);
  return joined;
}

/**
 * Compares texts by code points, like the collation "C" of PostgreSQL and unlike `<`, for which the characters above
 * U+FFFF come before some below. Pure.
 */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [unit, otherUnit] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (unit !== otherUnit) return placeOf(unit) - placeOf(otherUnit);
  }
  return one.length - other.length;
}

/** Surrogates come after all other units. */
function placeOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
