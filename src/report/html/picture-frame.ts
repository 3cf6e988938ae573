/** The size of every picture, in units of its view box. */
export const WIDTH = 340;
export const HEIGHT = 130;
export const LEFT = 38;
export const RIGHT = 326;
export const TOP = 8;

/** Less than a tenth of a unit is invisible, and more digits make the page larger. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The range of times of all pictures of a page, which have the same axis. */
export interface TimeAxis {
  readonly minMs: number;
  readonly maxMs: number;
  /** The shortest median. */
  readonly typicalMs: number;
}
