/** The first of each list, then the second of each. */
export function* alternately<T>(lists: readonly (readonly T[])[]): Generator<T> {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let index = 0; index < longest; index += 1)
    for (const list of lists) if (index < list.length) yield list[index] as T;
}
