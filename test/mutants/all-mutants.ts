import type { Form } from '../../src/model/requirement.ts';
import { capabilitiesMutants } from './capabilities.ts';
import { documentationMutants } from './documentation.ts';
import { errorsMutants } from './errors.ts';
import { executeMutants } from './execute.ts';
import { healthMutants } from './health.ts';
import type { Mutant } from './mutant.ts';

/** The families of rows that mutants answer for, each with the list of its own file. */
export const mutantsByFamily = {
  health: healthMutants,
  capabilities: capabilitiesMutants,
  documentation: documentationMutants,
  execute: executeMutants,
  errors: errorsMutants,
} as const satisfies Readonly<Record<string, readonly Mutant[]>>;

export type Family = keyof typeof mutantsByFamily;

export interface MutantInForm {
  readonly mutant: Mutant;
  readonly form: Form;
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
