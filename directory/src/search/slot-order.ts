import { emptySet, has, include, type SlotSet, slotsIn, withAdded } from './slot-sets.ts';

/** Listed slots in an order. It is brought up to date when a search needs it, because figures change all the time. */
export class SlotOrder {
  readonly #compare: (one: number, other: number) => number;
  /** Null until a search needs the order. May contain slots that are no longer listed. */
  #sorted: readonly number[] | null = null;
  readonly #moved = new Set<number>();

  constructor(compare: (one: number, other: number) => number) {
    this.#compare = compare;
  }

  /** The place of the slot may be another one, or it is new. */
  note(slot: number): void {
    if (this.#sorted !== null) this.#moved.add(slot);
  }

  /** The slots in their order, with some that are no longer listed. */
  slots(listed: SlotSet): readonly number[] {
    if (this.#sorted === null) this.#sorted = slotsIn(listed).sort(this.#compare);
    else if (this.#moved.size > 0) {
      const moved = emptySet(32 * listed.length);
      for (const slot of this.#moved) include(moved, slot);
      this.#sorted = withAdded(
        this.#sorted.filter((slot) => !has(moved, slot)),
        [...this.#moved].filter((slot) => has(listed, slot)),
        this.#compare,
      );
      this.#moved.clear();
    }
    return this.#sorted;
  }

  /** Forgets the slots that are not listed. */
  keepOnly(listed: SlotSet): void {
    this.#sorted = this.#sorted?.filter((slot) => has(listed, slot)) ?? null;
    for (const slot of this.#moved) if (!has(listed, slot)) this.#moved.delete(slot);
  }
}
