import type { ExploringSettings } from '../model/report.ts';

/** A check explores a little, with 25 calls of each function; `probity fuzz` much more. */
export const CHECK_EXPLORING: ExploringSettings = {
  valid: 11,
  invalid: 5,
  again: 3,
  pairs: 2,
  smaller: 60,
  durationMs: 1000,
  widely: false,
};

/** Shares of the calls of a function. */
const VALID_SHARE = 0.4;
const INVALID_SHARE = 0.15;
const AGAIN_SHARE = 0.2;
const PAIRED_SHARE = 0.25;
const CALLS_OF_PAIR = 3;

/** With this many calls of each function, and further ones to find the smallest input for each fault. */
export function exploringWith(calls: number): ExploringSettings {
  return {
    valid: Math.ceil(calls * VALID_SHARE),
    invalid: Math.ceil(calls * INVALID_SHARE),
    again: Math.ceil(calls * AGAIN_SHARE),
    pairs: Math.floor((calls * PAIRED_SHARE) / CALLS_OF_PAIR),
    smaller: 300,
    durationMs: 30_000,
    widely: true,
  };
}

export const FUZZ_CALLS = 400;
