import { describe, expect, it } from 'vitest';
import { levelFor } from '../../src/model/requirement.ts';
import { FunctionFailure, type ReferenceFunction } from '../../src/reference/define-function.ts';
import { loadSuites } from '../../src/suite/load-suites.ts';
import { type Family, mutantsInForms, skippedFor } from './all-mutants.ts';
import { inWords, lineOf } from './expectations.ts';
import { createMutantRunner } from './run-mutants.ts';

/** Rows that are decided from the descriptors and calls of single functions. */
const OF_FUNCTIONS: readonly Family[] = ['capabilities', 'execute', 'errors', 'inputs'];

/** Nobody can call it without knowing a code that no other function returns. */
const UNEXERCISABLE: ReferenceFunction = {
  name: 'redeem-voucher-value',
  description: 'Returns the value of a voucher.',
  parameters: { type: 'object', properties: { voucherCode: { type: 'string' } }, required: ['voucherCode'] },
  returns: { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] },
  examples: [],
  run: () => {
    throw new FunctionFailure('There is no such voucher.');
  },
};

const { suites, registry } = await loadSuites();

describe.each(OF_FUNCTIONS)('beside a function that cannot be exercised: %s', (family) => {
  const check = createMutantRunner(suites, skippedFor(family), {}, [UNEXERCISABLE]);
  const cases = mutantsInForms(family).filter(({ mutant, form }) => {
    const row = registry.get(mutant.row);
    return row !== undefined && levelFor(row.level, form) === 'MUST';
  });

  it.concurrent.for(
    cases.map((one) => ({ ...one, title: `${one.mutant.row}, form ${one.form}: ${one.mutant.name}` })),
  )('$title', { timeout: 600_000 }, async ({ mutant, form }, { task }) => {
    const result = await check(form, mutant);
    const line = lineOf(mutant, form, result);
    task.meta.mutant = { ...line, name: `beside an unexercised function: ${line.name}` };
    expect(line.killed, inWords(result, [mutant.row])).toBe(true);
    expect(result.verdict).toBe('fail');
  });

  it('does not keep a sound server from passing', { timeout: 600_000 }, async () => {
    const { verdict, coverage } = await check('B');
    expect(verdict).toBe('pass');
    expect(coverage?.notExercised.map((one) => one.function)).toEqual([UNEXERCISABLE.name]);
  });
});
