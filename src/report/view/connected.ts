/** Groups items that share a key, also through other items; in the order in which the groups begin. Pure. */
export function connected<T>(
  items: readonly T[],
  keysOf: (item: T) => readonly string[],
): readonly (readonly T[])[] {
  const parents: number[] = [];
  const rootOf = (index: number): number => {
    let root = index;
    for (let parent = parents[root]; parent !== undefined && parent !== root; parent = parents[root]) {
      parents[root] = parents[parent] ?? parent;
      root = parent;
    }
    return root;
  };
  const firstWith = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    parents.push(index);
    for (const key of keysOf(item)) {
      const other = rootOf(firstWith.get(key) ?? index);
      const own = rootOf(index);
      parents[Math.max(own, other)] = Math.min(own, other);
      firstWith.set(key, other);
    }
  }
  const groups = new Map<number, T[]>();
  for (const [index, item] of items.entries()) {
    const root = rootOf(index);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
