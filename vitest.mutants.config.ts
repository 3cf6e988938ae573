import { defineConfig } from 'vitest/config';
import { mutantTable } from './test/mutants/mutant-table.ts';
import { closingLine } from './test/set-up/closing-line.ts';
import { nativeSources } from './test/set-up/native-sources.ts';

const ENGINE = 'test/mutants/engine.test.ts';

export default defineConfig({
  plugins: [nativeSources()],
  test: {
    globalSetup: ['test/set-up/temporary-folder.ts'],
    setupFiles: ['test/set-up/demand-assertions.ts', 'test/set-up/refuse-empty-tables.ts'],
    // Only for what hangs: no machine is as slow as that.
    testTimeout: 600_000,
    // Much of the time is waiting, for double reads and for processes.
    maxWorkers: 3,
    // To load the sources anew for each file takes longer than the tests of most files.
    isolate: false,
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
