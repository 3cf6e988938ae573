import type { Form } from '../../src/model/requirement.ts';
import { capabilitiesMutants } from './capabilities.ts';
import { documentationMutants } from './documentation.ts';
import { errorsMutants } from './errors.ts';
import { executeMutants } from './execute.ts';
import { healthMutants } from './health.ts';
import { listingMutants } from './listing.ts';
import type { Mutant } from './mutant.ts';
import { performanceMutants } from './performance.ts';
import { robustnessMutants } from './robustness.ts';
import { securityMutants } from './security.ts';
import { transportMutants } from './transport.ts';

/** The families of rows that mutants answer for, each with the list of its own file. */
export const mutantsByFamily = {
  health: healthMutants,
  capabilities: capabilitiesMutants,
  documentation: documentationMutants,
  execute: executeMutants,
  errors: errorsMutants,
  robustness: robustnessMutants,
  security: securityMutants,
  transport: transportMutants,
  performance: performanceMutants,
  listing: listingMutants,
} as const satisfies Readonly<Record<string, readonly Mutant[]>>;

export type Family = keyof typeof mutantsByFamily;

/** In the order of the table: those of servers, and that of directories. */
export const FAMILIES: readonly string[] = [...Object.keys(mutantsByFamily), 'directory'];

export interface MutantInForm {
  readonly mutant: Mutant;
  readonly form: Form;
}

/** What a server that breaks the contract does in negative steps says nothing more about the contract, and takes long. */
const BEYOND_CONTRACT: readonly Family[] = ['robustness', 'security', 'transport'];

/** Rows that the mutants of a family are not asked for, as globs. Only one of them is timed for want of time. */
export function skippedFor(family: Family): readonly string[] {
  const timed: readonly Family[] = family === 'performance' ? [] : ['performance'];
  // A listing rests on all of the contract.
  const skipped =
    BEYOND_CONTRACT.includes(family) || family === 'listing' ? timed : [...BEYOND_CONTRACT, ...timed];
  return skipped.map((name) => `${name}/*`);
}

/** The mutants of a family in each of their forms. */
export function mutantsInForms(family: Family): readonly MutantInForm[] {
  return mutantsByFamily[family].flatMap((mutant: Mutant) =>
    formsOf(mutant).map((form) => ({ mutant, form })),
  );
}

export function familyOf(row: string): string {
  return row.split('/', 1)[0] ?? '';
}

function formsOf({ form }: Mutant): readonly Form[] {
  return form === 'both' ? ['A', 'B'] : [form];
}
