import type { ExploringSettings, RunSettings } from '../../model/report.ts';

const CALLS_OF_PAIR = 3;

/** A check explores a little, with 17 calls of each function; `probity fuzz` much more. */
export const CHECK_EXPLORING: ExploringSettings = {
  valid: 9,
  invalid: 3,
  again: 2,
  pairs: 1,
  sequences: 0,
  smaller: 60,
  widely: true,
};

/** Of a check, for all functions together; each one gets at least the inputs that find most faults. */
const MAX_CALLS_OF_CHECK = 240;
const MIN_VALID = 4;
const MIN_INVALID = 1;

export interface ExploringOfEach extends ExploringSettings {
  /** Maximum number of valid inputs with all values of each enumeration, if these are more. */
  readonly listed: number;
}

const MAX_LISTED = 60;

/** The user sets numbers for each function; a check explores less of each if it explores many. */
export function exploringOfEach(
  { exploring }: Pick<RunSettings, 'exploring'>,
  functions: number,
): ExploringOfEach {
  if (exploring !== undefined) return { ...exploring, listed: MAX_LISTED };
  const { valid, invalid, again, pairs } = CHECK_EXPLORING;
  const calls = (valid + invalid + again + pairs * CALLS_OF_PAIR) * functions;
  const share = Math.min(1, MAX_CALLS_OF_CHECK / Math.max(1, calls));
  return {
    ...CHECK_EXPLORING,
    listed: Math.min(MAX_LISTED, Math.floor(MAX_CALLS_OF_CHECK / Math.max(1, functions))),
    valid: Math.max(MIN_VALID, Math.floor(valid * share)),
    invalid: Math.max(MIN_INVALID, Math.floor(invalid * share)),
    again: Math.ceil(again * share),
    pairs: Math.round(pairs * share),
  };
}

export function exploringOf({
  exploring = CHECK_EXPLORING,
}: Pick<RunSettings, 'exploring'>): ExploringSettings {
  return exploring;
}

/** Of the time, if sequences are called too. */
const SEQUENCES_SHARE = 0.3;

/** Of the time that the user gave; undefined without a limit. */
export function timeForMs(
  what: 'sequences' | 'single-calls',
  { sequences = 0, durationMs }: ExploringSettings,
): number | undefined {
  if (durationMs === undefined || sequences === 0) return durationMs;
  return durationMs * (what === 'sequences' ? SEQUENCES_SHARE : 1 - SEQUENCES_SHARE);
}

/** Shares of the calls of a function. */
const VALID_SHARE = 0.4;
const INVALID_SHARE = 0.15;
const AGAIN_SHARE = 0.2;
const PAIRED_SHARE = 0.25;
const SEQUENCES_PER_CALL = 0.5;

/** With this many calls of each function, and further ones to find the smallest input for each fault. */
export function exploringWith(calls: number): ExploringSettings {
  return {
    valid: Math.ceil(calls * VALID_SHARE),
    invalid: Math.ceil(calls * INVALID_SHARE),
    again: Math.ceil(calls * AGAIN_SHARE),
    pairs: Math.floor((calls * PAIRED_SHARE) / CALLS_OF_PAIR),
    sequences: Math.ceil(calls * SEQUENCES_PER_CALL),
    smaller: 300,
    widely: true,
  };
}

export const FUZZ_CALLS = 400;
