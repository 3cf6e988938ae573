import type { Mutant } from './mutant.ts';

export const transportMutants: readonly Mutant[] = [];
