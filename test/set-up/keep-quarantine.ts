import { beforeEach, inject } from 'vitest';
import type { Quarantined } from './quarantine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly quarantine: readonly Quarantined[];
  }
}

const today = new Date().toISOString().slice(0, 10);

beforeEach(({ task, skip }) => {
  const name = [task.file.name, ...namesOf(task)].join(' > ');
  const held = inject('quarantine').find(({ test }) => test === name);
  if (held === undefined || held.until < today) return;
  skip(`in quarantine until ${held.until}: ${held.because}`);
});

interface Named {
  readonly name: string;
  readonly suite?: Named | undefined;
}

function namesOf({ suite, name }: Named): readonly string[] {
  return suite === undefined ? [name] : [...namesOf(suite), name];
}
