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

/** The path of a line, without the points in the middle of a level part. */
export function lineThrough(points: readonly (readonly [x: number, y: number])[]): string {
  const rounded = points.map(([x, y]) => [round(x), round(y)] as const);
  return rounded
    .filter(([, y], index) => rounded[index - 1]?.[1] !== y || rounded[index + 1]?.[1] !== y)
    .map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`)
    .join('');
}

/** The range of times of all pictures of a page, which have the same axis. */
export interface TimeAxis {
  readonly minMs: number;
  readonly maxMs: number;
  /** The shortest median. */
  readonly typicalMs: number;
}

const MAX_TICKS = 6;

/** A logarithmic scale has more ticks than there is room for. */
export function readable(ticks: readonly number[]): readonly number[] {
  if (ticks.length <= MAX_TICKS) return ticks;
  const leading = (digits: readonly number[]): readonly number[] =>
    ticks.filter((tick) => digits.includes(Math.round(tick / 10 ** Math.floor(Math.log10(tick) + 1e-9))));
  const some = leading([1, 2, 5]);
  return some.length <= MAX_TICKS ? some : leading([1]);
}
