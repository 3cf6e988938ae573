import { defineConfig } from 'vitest/config';
import { zooTable } from './test/zoo/zoo-table.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // It starts and makes only what is asked for.
    globalSetup: ['test/directory/shared-stores.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Much of the time is waiting: for double reads, for time-outs, for processes.
    maxWorkers: 4,
    // To load the sources anew for each of 150 files takes a fifth of all the time.
    isolate: false,
    reporters: [...(process.env.CI ? ['default', 'json'] : ['default']), zooTable()],
    outputFile: { json: 'coverage/test-results.json' },
  },
});
