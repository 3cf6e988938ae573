import { defineExperiment } from './define-experiment.ts';
import { together } from './laboratory.ts';

/** Reads show what other calls changed; a few of them do. */
const MAX_READS = 2;
const MAX_WATCHED = 16;

/**
 * Calls functions of which nobody knows whether they change something: twice with the same input, then with another one,
 * between reads. What is seen decides how often they are called from then on (seen-changes.ts).
 */
export const watchedCalls = defineExperiment(
  'watched-calls',
  'functions that may change something twice, then with another input, between calls of functions that read',
  async (lab) => {
    const reads = { functions: 'reads', first: MAX_READS, input: 'sample' } as const;
    const watched = { functions: 'unknown', first: MAX_WATCHED, alone: true } as const;
    const before = await lab.round({ ...reads, role: 'state-before', times: 2 });
    const again = await lab.round({ ...watched, role: 'again', input: 'sample', times: 2 });
    const other = await lab.round({ ...watched, role: 'other', input: 'distinct', inputs: ['2'] });
    const after = await lab.round({ ...reads, role: 'state-after' });
    return together([before, again, other, after], again);
  },
);
