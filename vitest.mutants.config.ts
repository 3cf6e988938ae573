import { defineConfig } from 'vitest/config';
import { mutantTable } from './test/mutants/mutant-table.ts';

export default defineConfig({
  test: {
    include: ['test/mutants/**/*.test.ts'],
    env: { PROBITY_MUTANTS: 'whole' },
    testTimeout: 60_000,
    maxWorkers: 2,
    // Each check takes more than a second; the table says all that there is to say about those that pass.
    slowTestThreshold: 60_000,
    reporters: [['default', { summary: false }], mutantTable()],
  },
});
