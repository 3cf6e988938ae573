import path from 'node:path';
import { beforeEach } from 'vitest';
import { quarantine } from './quarantine.ts';

const today = new Date().toISOString().slice(0, 10);

beforeEach(({ task, skip }) => {
  const file = path.relative('.', task.file.filepath);
  const held = quarantine.find(({ test }) => test === `${file} > ${namesOf(task).join(' > ')}`);
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
