/** The first of each list, then the second of each. What nobody takes is not made. */
export function* alternately<T>(lists: readonly Iterable<T>[]): Generator<T> {
  let left = lists.map((list) => list[Symbol.iterator]());
  while (left.length > 0) {
    const going: typeof left = [];
    for (const list of left) {
      const next = list.next();
      if (next.done === true) continue;
      going.push(list);
      yield next.value;
    }
    left = going;
  }
}

/** The first values that fit, up to `most`. */
export function firstOf<T>(values: Iterable<T>, most: number, fits: (value: T) => boolean = () => true): T[] {
  const found: T[] = [];
  if (most <= 0) return found;
  for (const value of values) {
    if (fits(value)) found.push(value);
    if (found.length >= most) break;
  }
  return found;
}
