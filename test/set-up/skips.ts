import type { TestOptions } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** What the machine lacks, with the remedy. */
    skippedFor?: string;
  }
}

/** Options of tests that need what may not be there. Where it is missing they are skipped, and the last lines say why. */
export function unless(missing: string | null): TestOptions {
  return missing === null ? {} : { skip: true, meta: { skippedFor: missing } };
}
