import { defineConfig } from 'vitest/config';
import { naturalTable } from './test/natural/natural-table.ts';
import { closingLine } from './test/set-up/closing-line.ts';
import { packagesFromSource } from './test/set-up/packages-from-source.ts';

const isWhole = process.env.PROBITY_NATURAL === 'whole';

export default defineConfig({
  resolve: { alias: packagesFromSource },
  test: {
    globalSetup: ['test/set-up/temporary-folder.ts'],
    setupFiles: ['test/set-up/demand-assertions.ts', 'test/set-up/refuse-empty-tables.ts'],
    include: isWhole ? ['test/natural/natural.test.ts'] : ['test/{natural,conforming}/**/*.test.{ts,tsx}'],
    testTimeout: 600_000,
    // The whole is timed, and too many at once would leave its figures unreliable.
    maxConcurrency: isWhole ? 6 : 16,
    slowTestThreshold: 900_000,
    reporters: [['default', { summary: false }], naturalTable(), ...(isWhole ? [] : [closingLine([])])],
  },
});
