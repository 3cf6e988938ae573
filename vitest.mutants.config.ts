import { defineConfig } from 'vitest/config';
import { mutantTable } from './test/mutants/mutant-table.ts';
import { closingLine } from './test/set-up/closing-line.ts';
import { packagesFromSource } from './test/set-up/packages-from-source.ts';

const ENGINE = 'test/mutants/engine.test.ts';

export default defineConfig({
  resolve: { alias: packagesFromSource },
  test: {
    globalSetup: ['test/set-up/temporary-folder.ts'],
    setupFiles: ['test/set-up/demand-assertions.ts', 'test/set-up/refuse-empty-tables.ts'],
    testTimeout: 60_000,
    maxWorkers: 2,
    // Each check takes more than a second; the table says all that there is to say about those that pass.
    slowTestThreshold: 60_000,
    reporters: [['default', { summary: false }], mutantTable(), closingLine([])],
    projects: [
      // The engine has the machine for itself: its figures are then reliable, unless other programs run.
      { extends: true, test: { name: 'engine', include: [ENGINE], sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'table',
          include: ['test/mutants/**/*.test.{ts,tsx}'],
          exclude: [ENGINE],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
