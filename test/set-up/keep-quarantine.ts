import { beforeEach, inject } from 'vitest';
import { dayOf, isHeld, type Quarantined } from './quarantine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly quarantine: readonly Quarantined[];
  }
}

const today = dayOf(Date.now());

beforeEach(({ task, skip }) => {
  const held = inject('quarantine').find(({ test }) => test === task.fullName);
  if (held === undefined || !isHeld(held, today)) return;
  skip(`in quarantine until ${held.until}: ${held.because}`);
});
