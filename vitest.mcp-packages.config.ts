import { defineConfig } from 'vitest/config';
import { closingLine } from './test/set-up/closing-line.ts';
import { nativeSources } from './test/set-up/native-sources.ts';

/** Servers of the Model Context Protocol as their authors published them. */
export default defineConfig({
  plugins: [nativeSources()],
  test: {
    include: ['test/mcp-packages/**/*.test.{ts,tsx}'],
    globalSetup: ['test/set-up/temporary-folder.ts'],
    setupFiles: ['test/set-up/demand-assertions.ts', 'test/set-up/refuse-empty-tables.ts'],
    // Only for what hangs: no machine is as slow as that.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    reporters: ['default', closingLine([])],
  },
});
