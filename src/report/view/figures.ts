import type { LoadModel } from '../../model/load.ts';
import { PERCENTILES } from '../../model/percentile.ts';
import { isMeasurement, type Measurement, type ResponseTimes } from '../../model/report.ts';
import { counted } from './words.ts';

export function callWords({ count, errors }: ResponseTimes): string {
  return `${counted(count, 'call')}${errors > 0 ? `, ${errors} in error` : ''}`;
}

/** Why the figures cannot be relied on; empty where they can. */
export function doubtWords(times: ResponseTimes): string {
  return isMeasurement(times) ? times.unreliable.join('; ') : '';
}

/** A figure of a closed loop always names it: it is no response time that callers on a schedule would see. */
export function loadWords(model: LoadModel): string {
  return model.kind === 'closed'
    ? `closed loop, ${counted(model.connections, 'connection')}`
    : `open loop, ${Number(model.ratePerSecond.toFixed(1))} requests a second`;
}

const MAX_FUNCTIONS = 10;

/** The operations, and the functions that somebody may have to do something about: unreliable ones and the slowest. */
export function notableTimes(measured: readonly Measurement[]): {
  readonly notable: readonly Measurement[];
  /** How many functions there are besides. */
  readonly more: number;
} {
  const functions = measured.filter((times) => times.function !== undefined);
  const chosen = new Set(
    functions
      .toSorted(
        (left, right) =>
          right.unreliable.length - left.unreliable.length || (right.p50Ms ?? 0) - (left.p50Ms ?? 0),
      )
      .slice(0, MAX_FUNCTIONS),
  );
  return {
    notable: measured.filter((times) => times.function === undefined || chosen.has(times)),
    more: functions.length - chosen.size,
  };
}

/** Three or four digits that say something. */
export function inMs(value: number): string {
  const digits = value >= 100 ? 1 : value >= 10 ? 2 : 3;
  return `${value.toFixed(digits)} ms`;
}

/** Where the unit is said elsewhere, and room is scarce. */
export function inBrief(ms: number): string {
  return ms.toFixed(ms < 10 ? 1 : 0);
}

const FIGURES = ['min', 'mean', ...PERCENTILES, 'max'] as const;
export type FigureName = (typeof FIGURES)[number];
type Figures = { readonly [Name in FigureName as `${Name}Ms`]?: number };

/** Those that are given of response times, with their names. Pure. */
export function figuresOf(times: Figures): readonly (readonly [FigureName, number])[] {
  return FIGURES.flatMap((name) => {
    const ms = times[`${name}Ms`];
    return ms === undefined ? [] : [[name, ms] as const];
  });
}
