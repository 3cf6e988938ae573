import { emptySet, exclude, grown, include, type SlotSet } from './slot-sets.ts';

/** Which of a few values each slot has: a set of slots for each value. */
export class SlotValues<Value extends string> {
  readonly #sets: Map<Value, SlotSet>;

  constructor(values: readonly Value[], capacity: number) {
    this.#sets = new Map(values.map((value) => [value, emptySet(capacity)]));
  }

  put(slot: number, values: readonly Value[]): void {
    for (const [value, set] of this.#sets)
      if (values.includes(value)) include(set, slot);
      else exclude(set, slot);
  }

  /** The slots with a value. */
  having(value: Value): SlotSet {
    return this.#sets.get(value) ?? emptySet(0);
  }

  grow(capacity: number): void {
    for (const [value, set] of this.#sets) this.#sets.set(value, grown(set, emptySet(capacity)));
  }

  [Symbol.iterator](): Iterator<readonly [Value, SlotSet]> {
    return this.#sets[Symbol.iterator]();
  }
}
