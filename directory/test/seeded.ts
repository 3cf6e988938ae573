/** Random numbers that are repeatable with a seed (mulberry32). */
export interface Dice {
  /** From 0 up to, but not including, 1. */
  number(): number;
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  one<Value>(values: readonly Value[]): Value;
  chance(probability: number): boolean;
}

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const number = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(number() * limit);
  return {
    number,
    below,
    one: <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value,
    chance: (probability) => number() < probability,
  };
}
