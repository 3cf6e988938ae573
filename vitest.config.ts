import { defineConfig } from 'vitest/config';
import { corpusTable } from './test/malformed-responses/corpus-table.ts';
import { closingLine } from './test/set-up/closing-line.ts';
import { nativeSources } from './test/set-up/native-sources.ts';
import { OrderOfChance } from './test/set-up/order-of-chance.ts';
import { quarantine } from './test/set-up/quarantine.ts';
import { RARELY_OPTIMIZED } from './test/set-up/rarely-optimized.ts';

// Tests only call this machine, and reading more certificates doubles the time in which a command starts.
delete process.env.NODE_EXTRA_CA_CERTS;

export default defineConfig({
  plugins: [nativeSources()],
  test: {
    include: ['{,directory/}test/**/*.test.{ts,tsx}'],
    // They have runs of their own, at every submission; scripts/changed-tests.mjs lists them.
    exclude: [
      ...[
        'test/mutants/**',
        'test/natural/**',
        'test/conforming/**',
        'test/system/**',
        'directory/test/system/**',
      ],
      'test/mcp-packages/**',
    ],
    // It starts and makes only what is asked for.
    globalSetup: ['test/set-up/temporary-folder.ts', 'directory/test/db/shared-stores.ts'],
    setupFiles: [
      'test/set-up/keep-quarantine.ts',
      'test/set-up/demand-assertions.ts',
      'test/set-up/refuse-empty-tables.ts',
    ],
    provide: { quarantine },
    // Only for what hangs: no machine is as slow as that.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Much of the time is waiting: for double reads, for time-outs, for processes. Tests that start commands are
    // concurrent, because another worker would load all sources again.
    maxWorkers: 5,
    // Most code of a test runs too rarely to repay its optimization: without it, files take up to a fifth less
    // processor time.
    execArgv: [...RARELY_OPTIMIZED],
    maxConcurrency: 3,
    // To load the sources anew for each of 150 files takes a fifth of all the time. That no test sees what another
    // left behind is shown by the order, which is another one in every run.
    isolate: false,
    sequence: { sequencer: OrderOfChance, shuffle: { files: true, tests: true } },
    reporters: ['default', corpusTable(), closingLine(quarantine)],
  },
});
