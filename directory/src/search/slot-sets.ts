/** A set of slots, the small numbers under which a search index holds its entries: one bit for each. */
export type SlotSet = Int32Array<ArrayBuffer>;

const BITS = 32;

export function emptySet(capacity: number): SlotSet {
  return new Int32Array(Math.ceil(capacity / BITS));
}

export function has(set: SlotSet, slot: number): boolean {
  return bitOf(set, slot) === 1;
}

/** How many of some slots a set has. */
export function countOf(set: SlotSet, slots: readonly number[]): number {
  let count = 0;
  // Without a condition, which the processor could not predict.
  for (const slot of slots) count += bitOf(set, slot);
  return count;
}

function bitOf(set: SlotSet, slot: number): number {
  return ((set[slot >>> 5] ?? 0) >>> (slot & 31)) & 1;
}

export function include(set: SlotSet, slot: number): void {
  const at = slot >>> 5;
  set[at] = (set[at] ?? 0) | (1 << (slot & 31));
}

export function exclude(set: SlotSet, slot: number): void {
  const at = slot >>> 5;
  set[at] = (set[at] ?? 0) & ~(1 << (slot & 31));
}

/** Keeps the slots that are in the other set too, or with `isIn` false those that are not. */
export function keepOnly(set: SlotSet, other: SlotSet, isIn = true): void {
  for (let at = 0; at < set.length; at += 1) {
    const bits = other[at] ?? 0;
    set[at] = (set[at] ?? 0) & (isIn ? bits : ~bits);
  }
}

/** The slots that any of the sets has, which are equally large. Pure. */
export function union([first = emptySet(0), ...others]: readonly SlotSet[]): SlotSet {
  const joined = first.slice();
  for (const other of others)
    for (let at = 0; at < joined.length; at += 1) joined[at] = (joined[at] ?? 0) | (other[at] ?? 0);
  return joined;
}

/** Moves the slots that both sets have out of the first one, into a new set. */
export function takeOut(set: SlotSet, other: SlotSet): SlotSet {
  const taken = set.slice();
  keepOnly(taken, other);
  keepOnly(set, other, false);
  return taken;
}

/** The values in a larger set or array. */
export function grown<Values extends SlotSet | Float64Array>(values: Values, larger: Values): Values {
  larger.set(values);
  return larger;
}

export function slotsIn(set: SlotSet): Int32Array<ArrayBuffer> {
  const slots = new Int32Array(sizeOf(set));
  let next = 0;
  for (let at = 0; at < set.length; at += 1)
    for (let bits = set[at] ?? 0; bits !== 0; bits &= bits - 1) {
      slots[next] = at * BITS + 31 - Math.clz32(bits & -bits);
      next += 1;
    }
  return slots;
}

export function keepWhere(set: SlotSet, isKept: (slot: number) => boolean): void {
  for (let at = 0; at < set.length; at += 1)
    for (let bits = set[at] ?? 0; bits !== 0; bits &= bits - 1) {
      const slot = at * BITS + 31 - Math.clz32(bits & -bits);
      if (!isKept(slot)) exclude(set, slot);
    }
}

export function sizeOf(set: SlotSet): number {
  return sizeOfBoth(set, set);
}

/** The number of slots that both sets have. */
export function sizeOfBoth(set: SlotSet, other: SlotSet): number {
  let size = 0;
  for (let at = 0; at < set.length; at += 1) {
    let bits = (set[at] ?? 0) & (other[at] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    size += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return size;
}

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
