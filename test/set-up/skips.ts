import type { TestOptions } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** What is missing on the machine, with the remedy. */
    skippedFor?: string;
  }
}

/** Options of tests that need optional tools. Without them the tests are skipped, and the last lines say why. */
export function unless(missing: string | null): TestOptions {
  return missing === null ? {} : { skip: true, meta: { skippedFor: missing } };
}
