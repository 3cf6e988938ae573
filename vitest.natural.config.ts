import { defineConfig } from 'vitest/config';
import { naturalTable } from './test/natural/natural-table.ts';
import { closingLine } from './test/set-up/closing-line.ts';
import { nativeSources } from './test/set-up/native-sources.ts';

const isWhole = process.env.PROBITY_NATURAL === 'whole';

export default defineConfig({
  plugins: [nativeSources()],
  test: {
    globalSetup: ['test/set-up/temporary-folder.ts'],
    setupFiles: ['test/set-up/demand-assertions.ts', 'test/set-up/refuse-empty-tables.ts'],
    include: isWhole ? ['test/natural/natural.test.ts'] : ['test/{natural,conforming}/**/*.test.{ts,tsx}'],
    // Only for what hangs: no machine is as slow as that.
    testTimeout: 600_000,
    // The whole is timed, and too many at once would leave its figures unreliable. On two cores, the runner's own
    // choice is one worker, which leaves a core idle.
    ...(isWhole ? { maxConcurrency: 6 } : { maxConcurrency: 8, maxWorkers: 3 }),
    // To load the sources anew for each file takes longer than the tests of most files.
    isolate: false,
    slowTestThreshold: 900_000,
    reporters: [['default', { summary: false }], naturalTable(), ...(isWhole ? [] : [closingLine([])])],
  },
});
