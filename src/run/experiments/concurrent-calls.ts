import { defineExperiment } from './define-experiment.ts';
import { together } from './laboratory.ts';

const MAX_FUNCTIONS = 4;
const COPIES = 3;
const INPUTS = ['1', '2', '3'] as const;

/**
 * Calls functions that change nothing several times at the same moment, each time with another input, and then makes
 * the same calls alone. Those whose answers differ are called alone once more: a function that is random, or follows the
 * time, answers differently then too.
 */
export const concurrentCalls = defineExperiment(
  'concurrent-calls',
  'functions that change nothing three times at the same moment, then the same calls alone',
  async (lab) => {
    const calls = { first: MAX_FUNCTIONS, input: 'distinct' } as const;
    const alone = { ...calls, inputs: INPUTS, alone: true };
    const atOnce = await lab.round({ ...calls, role: 'together', functions: 'harmless', copies: COPIES });
    if (atOnce.kind !== 'ran') return atOnce;
    const single = await lab.round({ ...alone, role: 'alone', functions: 'harmless' });
    const again = await lab.round({ ...alone, role: 'alone-again', functions: 'varying' });
    return together([atOnce, single, again], atOnce);
  },
);
