import { defineConfig } from 'vitest/config';
import { closingLine } from './test/set-up/closing-line.ts';
import { nativeSources } from './test/set-up/native-sources.ts';

// Tests only call this machine, and reading more certificates doubles the time in which a command starts.
delete process.env.NODE_EXTRA_CA_CERTS;

/** The whole product as its users meet it: packed and installed, in a browser, killed, and full of secrets. */
export default defineConfig({
  plugins: [nativeSources()],
  test: {
    include: ['{,directory/}test/system/**/*.test.{ts,tsx}'],
    globalSetup: ['test/set-up/temporary-folder.ts', 'directory/test/db/shared-stores.ts'],
    setupFiles: ['test/set-up/demand-assertions.ts', 'test/set-up/refuse-empty-tables.ts'],
    // Only for what hangs: no machine is as slow as that.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 3,
    reporters: ['default', closingLine([])],
  },
});
