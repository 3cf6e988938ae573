import { defineConfig } from 'vitest/config';
import { packagesFromSource } from './test/set-up/packages-from-source.ts';

/** The tests that answer for what stryker.config.mjs mutates: those that need no process and no built command. */
export default defineConfig({
  resolve: { alias: packagesFromSource },
  test: {
    include: [
      'test/probe/address-guard.test.ts',
      'test/probe/public-lookup.test.ts',
      'test/probe/redactor*.test.ts',
      'test/probe/secrets.test.ts',
      'test/checks/json-*.test.ts',
      'test/judge/!(curl|repeat-command|resumed-command).test.ts',
    ],
    // Only for what hangs: Stryker ends the mutants that take much longer than the tests without them.
    testTimeout: 600_000,
  },
});
