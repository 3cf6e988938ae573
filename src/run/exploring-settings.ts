import type { ExploringSettings } from '../model/report.ts';

/** A check explores a little, with 25 calls of each function; `probity fuzz` much more. */
export const CHECK_EXPLORING: ExploringSettings = {
  valid: 11,
  invalid: 5,
  again: 3,
  pairs: 2,
  smaller: 60,
  durationMs: 2000,
  widely: false,
};
