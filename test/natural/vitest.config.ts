import { defineConfig } from 'vitest/config';
import { naturalTable } from './natural-table.ts';

export default defineConfig({
  test: {
    include: ['test/natural/natural.test.ts'],
    env: { PROBITY_NATURAL: 'whole' },
    // Runs are timed, and too many at once would leave their figures unreliable.
    maxConcurrency: 6,
    slowTestThreshold: 900_000,
    reporters: [['default', { summary: false }], naturalTable()],
  },
});
