import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { programFromSource } from '../cli/program.ts';

const SCRIPTS = path.resolve(import.meta.dirname, '../../scripts');

interface Table {
  readonly [command: string]: { readonly [file: string]: number };
}

const { growthOf } = (await import(path.join(SCRIPTS, 'loads-growth.mjs'))) as {
  growthOf: (allowed: Table, now: Table) => readonly string[];
};

describe('what the built commands load', () => {
  test('grew by at most 5 % since it was accepted', async () => {
    const child = spawn(process.execPath, [path.join(SCRIPTS, 'loads.mjs')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(said).toBe('');
    expect(code).toBe(0);
  });

  test('is counted for every command but those that only combine others', () => {
    const table = JSON.parse(readFileSync(path.join(SCRIPTS, 'loads.json'), 'utf8')) as Table;
    const counted = new Set(Object.keys(table).map((name) => name.split(' ', 1)[0]));
    const names = programFromSource().commands.map((command) => command.name());
    expect(names.filter((name) => !counted.has(name))).toEqual(['demo']);
  });
});

describe('growth', () => {
  const allowed = { check: { 'dist/a.js': 1000, 'dist/b.js': 2000 } };

  test('of 5 % is accepted, and so is shrinking', () => {
    expect(growthOf(allowed, { check: { 'dist/a.js': 1150, 'dist/b.js': 2000 } })).toEqual([]);
    expect(growthOf(allowed, { check: { 'dist/a.js': 1000 } })).toEqual([]);
  });

  test('of more names the command and its files, the largest change first', () => {
    expect(growthOf(allowed, { check: { 'dist/a.js': 1100, 'dist/c.js': 3000 } })).toEqual([
      'check: loads 4100 bytes in 2 files, +36.7 % bytes and +0.0 % files\n' +
        '  dist/c.js: new, 3000 bytes\n' +
        '  dist/a.js: 1000 bytes before, now 1100\n' +
        '  dist/b.js: no longer loaded, 2000 bytes',
    ]);
  });

  test('by a small file more is reported too, because opening a file takes time', () => {
    expect(growthOf(allowed, { check: { ...allowed.check, 'dist/c.js': 10 } })).toEqual([
      'check: loads 3010 bytes in 3 files, +0.3 % bytes and +50.0 % files\n  dist/c.js: new, 10 bytes',
    ]);
  });

  test('cannot hide in a command that is new or no longer counted', () => {
    expect(growthOf(allowed, { trend: { 'dist/a.js': 1000 } })).toEqual([
      'check: is in the table, but is not counted.',
      'trend: is not in the table yet.',
    ]);
  });
});
