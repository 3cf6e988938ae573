import { describe, expect, it } from 'vitest';
import { loadRegistry, loadSuites } from '../../src/suite/load-suites.ts';
import { familyOf, mutantsByFamily } from './all-mutants.ts';
import { directoryMutants } from './directory.ts';
import { idsWith } from './expectations.ts';
import type { Mutant, MutantClaims } from './mutant.ts';
import { createMutantRunner } from './run-mutants.ts';

type Listed = MutantClaims & Partial<Pick<Mutant, 'form'>>;
const families: readonly (readonly [string, readonly Listed[]])[] = [
  ...Object.entries(mutantsByFamily),
  ['directory', directoryMutants],
];
const mutants = families.flatMap(([, list]) => list);

describe('the server without a mutant', () => {
  it.each(['A', 'B'] as const)('passes in form %s', async (form) => {
    const { suites } = await loadSuites();
    const result = await createMutantRunner(suites, [], { latency: { samples: 12 } })(form);
    expect(result.findings).toEqual([]);
    expect(idsWith(result, 'failed', 'blocked', 'undecided')).toEqual([]);
    expect(result.verdict).toBe('pass');
  });
});

describe('a valid listing', () => {
  it.each(['A', 'B'] as const)('of the server without a mutant passes in form %s', async (form) => {
    const { suites } = await loadSuites();
    const result = await createMutantRunner(suites, ['performance/*'], { listingGiven: true })(form);
    expect(result.findings).toEqual([]);
    expect(result.listingDecision).toBe('list');
    expect(result.listing?.map(({ outcome }) => outcome)).toEqual(Array(5).fill('passed'));
  });
});

describe('the lists of mutants', () => {
  it('name rows of the registry only', async () => {
    const registry = await loadRegistry();
    const named = mutants.flatMap(({ row, alsoFails = {} }) => [row, ...Object.keys(alsoFails)]);
    expect([...new Set(named)].filter((row) => !registry.has(row))).toEqual([]);
  });

  it('hold each mutant in the file of its family', () => {
    const misplaced = families.flatMap(([family, list]) =>
      list.filter(({ row }) => familyOf(row) !== family),
    );
    expect(misplaced.map(({ row, name }) => `${row}: ${name}`)).toEqual([]);
  });

  it('give each mutant of a row and form a unique name', () => {
    const keys = mutants.flatMap(({ row, form, name }) =>
      (form === 'both' ? ['A', 'B'] : [form]).map((one) => `${row}, form ${one}: ${name}`),
    );
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });
});
