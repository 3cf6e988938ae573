import { defineExperiment } from './define-experiment.ts';
import { together } from './laboratory.ts';

const MAX_FUNCTIONS = 4;

/**
 * Calls functions that create something twice at the same moment, each time with another input. Those that seem to have
 * got data of the other call are called alone too: a server that returns what exists, or the latest of all, answers so
 * then as well.
 */
export const concurrentCreations = defineExperiment(
  'concurrent-creations',
  'functions that create something twice at the same moment, then alone',
  async (lab) => {
    const calls = { first: MAX_FUNCTIONS, input: 'distinct' } as const;
    const atOnce = await lab.round({
      ...calls,
      role: 'created-together',
      functions: 'creating',
      inputs: ['new'],
      copies: 2,
    });
    if (atOnce.kind !== 'ran') return atOnce;
    const single = await lab.round({
      ...calls,
      role: 'created-alone',
      functions: 'mixing',
      inputs: ['new-3', 'new-4'],
      alone: true,
    });
    return together([atOnce, single], atOnce);
  },
);
