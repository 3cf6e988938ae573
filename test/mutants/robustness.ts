import type { Mutant } from './mutant.ts';

export const robustnessMutants: readonly Mutant[] = [];
