const MAX_STEP = 1.5;
/** The search ends at a bracket of this ratio, because runs of the same rate differ by more. */
const NARROW = 1.05;

export interface RateRange {
  readonly lowPerSecond: number;
  readonly highPerSecond: number;
}

export interface RateOutcome {
  readonly ratePerSecond: number;
  /** Whether the server stayed within the limit at this rate. */
  readonly holds: boolean;
}

export type RateSearchResult =
  | { readonly kind: 'held-throughout'; readonly heldPerSecond: number }
  | { readonly kind: 'never-held'; readonly brokePerSecond: number }
  | { readonly kind: 'bracketed'; readonly heldPerSecond: number; readonly brokePerSecond: number }
  /** The search ended without a result. */
  | {
      readonly kind: 'unfinished';
      readonly heldPerSecond: number | null;
      readonly brokePerSecond: number | null;
    };

/**
 * The rate to try next, or null when the search has a result. It goes up from the lowest rate in equal ratios until a
 * rate breaks the limit or the highest holds, then between the last rate that held and the first that broke.
 */
export function nextRate(range: RateRange, outcomes: readonly RateOutcome[]): number | null {
  const { held, broke } = boundsOf(outcomes);
  if (held === null) return broke === null ? range.lowPerSecond : null;
  if (broke !== null) return broke <= held * NARROW ? null : between(held, broke);
  return held < range.highPerSecond ? stepAbove(range, held) : null;
}

export function rateSearchResult(range: RateRange, outcomes: readonly RateOutcome[]): RateSearchResult {
  const { held, broke } = boundsOf(outcomes);
  if (nextRate(range, outcomes) !== null) {
    return { kind: 'unfinished', heldPerSecond: held, brokePerSecond: broke };
  }
  if (held === null) return { kind: 'never-held', brokePerSecond: broke ?? range.lowPerSecond };
  if (broke === null) return { kind: 'held-throughout', heldPerSecond: held };
  return { kind: 'bracketed', heldPerSecond: held, brokePerSecond: broke };
}

/** A rate that held above one that broke is ignored as chance. */
function boundsOf(outcomes: readonly RateOutcome[]) {
  const rates = (holds: boolean): readonly number[] =>
    outcomes.filter((outcome) => outcome.holds === holds).map((outcome) => outcome.ratePerSecond);
  const broke = Math.min(...rates(false));
  const held = Math.max(...rates(true).filter((rate) => rate < broke));
  return { held: Number.isFinite(held) ? held : null, broke: Number.isFinite(broke) ? broke : null };
}

function between(held: number, broke: number): number {
  const middle = Math.sqrt(held * broke);
  const plain = rounded(middle);
  return held < plain && plain < broke ? plain : middle;
}

/** Equal ratios over the whole range, so that the last step ends at the highest rate. */
function stepAbove({ lowPerSecond, highPerSecond }: RateRange, held: number): number {
  const steps = Math.max(1, Math.ceil(Math.log(highPerSecond / lowPerSecond) / Math.log(MAX_STEP) - 1e-9));
  const factor = (highPerSecond / lowPerSecond) ** (1 / steps);
  const taken = Math.round(Math.log(held / lowPerSecond) / Math.log(factor));
  if (taken + 1 >= steps) return highPerSecond;
  const exact = lowPerSecond * factor ** (taken + 1);
  const plain = rounded(exact);
  return held < plain && plain < highPerSecond ? plain : exact;
}

/** Rounded to three digits, because runs are not more precise. */
function rounded(rate: number): number {
  return Number(rate.toPrecision(3));
}
