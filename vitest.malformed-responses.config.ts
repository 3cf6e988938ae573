import { defineConfig } from 'vitest/config';
import { corpusTable } from './test/malformed-responses/corpus-table.ts';
import { closingLine } from './test/set-up/closing-line.ts';
import { nativeSources } from './test/set-up/native-sources.ts';

export default defineConfig({
  plugins: [nativeSources()],
  test: {
    globalSetup: ['test/set-up/temporary-folder.ts'],
    setupFiles: ['test/set-up/demand-assertions.ts', 'test/set-up/refuse-empty-tables.ts'],
    include: ['test/malformed-responses/**/*.test.{ts,tsx}', 'test/system/canaries.test.ts'],
    env: { PROBITY_MALFORMED: 'whole' },
    // Only for what hangs: no machine is as slow as that.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Each play is a process of its own, and for most of its time it waits.
    maxConcurrency: 6,
    slowTestThreshold: 120_000,
    reporters: [['default', { summary: false }], corpusTable(), closingLine([])],
  },
});
