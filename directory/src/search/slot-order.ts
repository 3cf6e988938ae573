import { emptySet, has, include, type SlotSet, slotsIn } from './slot-sets.ts';

type Slots = Int32Array<ArrayBuffer>;
type Compare = (one: number, other: number) => number;

/** Listed slots in an order. It is brought up to date when a search needs it, because figures change all the time. */
export class SlotOrder {
  readonly #compare: Compare;
  readonly #ties: SlotOrder | null;
  /** Null until a search needs the order. May contain slots that are no longer listed. */
  #sorted: Slots | null = null;
  readonly #moved = new Set<number>();

  /** Slots that `compare` calls equal are in the order of `ties`. */
  constructor(compare: Compare, ties: SlotOrder | null = null) {
    this.#compare = compare;
    this.#ties = ties;
  }

  /** The place of the slot may be another one, or it is new. */
  note(slot: number): void {
    if (this.#sorted !== null) this.#moved.add(slot);
  }

  /** The slots in their order, with some that are no longer listed. */
  slots(listed: SlotSet): Slots {
    if (this.#sorted === null) {
      // The sort keeps equal ones in their order, so that they need no comparison of names.
      const known = this.#ties?.slots(listed).filter((slot) => has(listed, slot));
      this.#sorted = (known ?? slotsIn(listed)).sort(this.#compare);
    } else if (this.#moved.size > 0) {
      const moved = emptySet(32 * listed.length);
      for (const slot of this.#moved) include(moved, slot);
      this.#sorted = withMoved(this.#sorted, moved, listed, (one, other) => this.#compareAll(one, other));
      this.#moved.clear();
    }
    return this.#sorted;
  }

  #compareAll(one: number, other: number): number {
    return this.#compare(one, other) || (this.#ties === null ? 0 : this.#ties.#compareAll(one, other));
  }

  /** Forgets the slots that are not listed. */
  keepOnly(listed: SlotSet): void {
    this.#sorted = this.#sorted?.filter((slot) => has(listed, slot)) ?? null;
    for (const slot of this.#moved) if (!has(listed, slot)) this.#moved.delete(slot);
  }
}

/** Few moved slots need few comparisons, which cost more than to copy a slot. */
function withMoved(sorted: Slots, moved: SlotSet, listed: SlotSet, compare: Compare): Slots {
  const kept = new Int32Array(sorted.length);
  let count = 0;
  for (const slot of sorted)
    if (!has(moved, slot)) {
      kept[count] = slot;
      count += 1;
    }
  const fresh = slotsIn(moved)
    .filter((slot) => has(listed, slot))
    .sort(compare);
  const joined = new Int32Array(count + fresh.length);
  let from = 0;
  for (const [index, slot] of fresh.entries()) {
    const place = placeIn(kept, slot, from, count, compare);
    joined.set(kept.subarray(from, place), from + index);
    joined[place + index] = slot;
    from = place;
  }
  joined.set(kept.subarray(from, count), from + fresh.length);
  return joined;
}

/** The first place within bounds whose slot does not come before another one. */
function placeIn(sorted: Slots, slot: number, from: number, to: number, compare: Compare): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(sorted[middle] ?? 0, slot) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
