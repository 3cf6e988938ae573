import type { Form } from '../../src/model/requirement.ts';
import { capabilitiesMutants } from './capabilities.ts';
import { documentationMutants } from './documentation.ts';
import { errorsMutants } from './errors.ts';
import { executeMutants } from './execute.ts';
import { healthMutants } from './health.ts';
import { inputsMutants } from './inputs.ts';
import { listingMutants } from './listing.ts';
import type { Mutant } from './mutant.ts';
import { performanceMutants } from './performance.ts';
import { robustnessMutants } from './robustness.ts';
import { securityMutants } from './security.ts';
import { textsMutants } from './texts.ts';
import { transportMutants } from './transport.ts';

/** The families of mutants, each with the list of its file. */
export const mutantsByFamily = {
  health: healthMutants,
  capabilities: capabilitiesMutants,
  documentation: documentationMutants,
  execute: executeMutants,
  errors: errorsMutants,
  robustness: robustnessMutants,
  security: securityMutants,
  texts: textsMutants,
  transport: transportMutants,
  inputs: inputsMutants,
  performance: performanceMutants,
  listing: listingMutants,
} as const satisfies Readonly<Record<string, readonly Mutant[]>>;

export type Family = keyof typeof mutantsByFamily;

/** In the order of the table: the families of servers, then that of directories. */
export const FAMILIES: readonly string[] = [...Object.keys(mutantsByFamily), 'directory'];

export interface MutantInForm {
  readonly mutant: Mutant;
  readonly form: Form;
}

/** Negative steps on a server that breaks the contract take long and show nothing more about the contract. */
const BEYOND_CONTRACT: readonly Family[] = ['robustness', 'security', 'texts', 'transport'];

/** Rows that are skipped for the mutants of a family, as globs. Only one family is timed, to save time. */
export function skippedFor(family: Family): readonly string[] {
  const timed: readonly Family[] = family === 'performance' ? [] : ['performance'];
  // What breaks the contract breaks it for generated inputs too.
  const generated: readonly Family[] = family === 'inputs' ? [] : ['inputs'];
  // A listing depends on the whole contract.
  const isWhole = BEYOND_CONTRACT.includes(family) || family === 'listing';
  return [...(isWhole ? [] : BEYOND_CONTRACT), ...timed, ...generated].map((name) => `${name}/*`);
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
