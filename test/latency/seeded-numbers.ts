/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Numbers of the standard normal distribution that are the same in every run (Box and Muller). */
export function seededNormals(seed: number): () => number {
  const numbers = seededNumbers(seed);
  return () => Math.sqrt(-2 * Math.log(1 - numbers())) * Math.cos(2 * Math.PI * numbers());
}
