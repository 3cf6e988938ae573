/** Of every picture, in units of its view box. */
export const WIDTH = 340;
export const HEIGHT = 130;
export const LEFT = 38;
export const RIGHT = 326;
export const TOP = 8;

/** A tenth of a unit is less than can be seen, and more digits make the page longer. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
