import { wrap } from './wrap.ts';

/** Further lines are indented, so that each item is seen to be one. */
export function hanging(text: string, width: number): readonly string[] {
  return wrap(text, width - 2).map((line, index) => (index === 0 ? line : `  ${line}`));
}

const MS_DIGITS = 3;

/** Three or four digits that say something. */
export function inMs(value: number): string {
  const digits = value >= 100 ? 1 : value >= 10 ? 2 : MS_DIGITS;
  return `${value.toFixed(digits)} ms`;
}

const FIGURES = ['min', 'mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const;

/** Those that are given of response times, with their names. Pure. */
export function figuresOf(
  times: {
    readonly [Name in (typeof FIGURES)[number] as `${Name}Ms`]?: number;
  },
): readonly (readonly [(typeof FIGURES)[number], number])[] {
  return FIGURES.flatMap((name) => {
    const ms = times[`${name}Ms`];
    return ms === undefined ? [] : [[name, ms] as const];
  });
}
