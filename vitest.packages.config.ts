import { defineConfig } from 'vitest/config';
import { closingLine } from './test/set-up/closing-line.ts';
import { packagesFromSource } from './test/set-up/packages-from-source.ts';

export default defineConfig({
  resolve: { alias: packagesFromSource },
  test: {
    setupFiles: ['test/set-up/demand-assertions.ts', 'test/set-up/refuse-empty-tables.ts'],
    include: ['test/package/**/*.test.{ts,tsx}'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    reporters: ['default', closingLine([])],
  },
});
