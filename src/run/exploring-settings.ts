import type { ExploringSettings, RunSettings } from '../model/report.ts';

/** A check explores a little, with 25 calls of each function; `probity fuzz` much more. */
export const CHECK_EXPLORING: ExploringSettings = {
  valid: 11,
  invalid: 5,
  again: 3,
  pairs: 2,
  sequences: 0,
  smaller: 60,
  durationMs: 1000,
  widely: false,
};

export function exploringOf({
  exploring = CHECK_EXPLORING,
}: Pick<RunSettings, 'exploring'>): ExploringSettings {
  return exploring;
}

/** Of the time, if sequences are called too. */
const SEQUENCES_SHARE = 0.3;

export function timeForSequencesMs({ sequences = 0, durationMs }: ExploringSettings): number {
  return sequences > 0 ? durationMs * SEQUENCES_SHARE : 0;
}

/** Shares of the calls of a function. */
const VALID_SHARE = 0.4;
const INVALID_SHARE = 0.15;
const AGAIN_SHARE = 0.2;
const PAIRED_SHARE = 0.25;
const CALLS_OF_PAIR = 3;
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
    durationMs: 30_000,
    widely: true,
  };
}

export const FUZZ_CALLS = 400;
