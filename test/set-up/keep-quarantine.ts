import { beforeEach, inject } from 'vitest';
import type { Quarantined } from './quarantine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly quarantine: readonly Quarantined[];
  }
}

const today = new Date().toISOString().slice(0, 10);

beforeEach(({ task, skip }) => {
  const held = inject('quarantine').find(({ test }) => test === task.fullName);
  if (held === undefined || held.until < today) return;
  skip(`in quarantine until ${held.until}: ${held.because}`);
});
