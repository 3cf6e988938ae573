import { defineConfig } from 'vitest/config';
import { mutantTable } from './test/mutants/mutant-table.ts';

export default defineConfig({
  test: {
    include: ['test/mutants/**/*.test.ts'],
    testTimeout: 60_000,
    reporters: [['dot', {}], mutantTable()],
  },
});
