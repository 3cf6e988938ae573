import type { Mutant } from './mutant.ts';

export const securityMutants: readonly Mutant[] = [];
