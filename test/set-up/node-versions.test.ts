import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

describe('the required Node version', () => {
  const { engines } = JSON.parse(read('package.json'));

  it.each(['README.md', 'CONTRIBUTING.md', 'docs/library.md', 'docs/ci.md'])('is the same in %s', (file) => {
    expect(engines.node).toBe('^20.19.0 || ^22.12.0 || ^24.0.0 || >=26.0.0');
    expect(read(file).replaceAll('\n', ' ')).toMatch(
      /Node:? 20 from 20\.19, 22 from 22\.12, 24, or 26 and later/,
    );
    expect(read(file)).not.toContain('20.19 or later');
  });
});

describe('the table of commands', () => {
  it('names each command once', () => {
    const commands = [...read('README.md').matchAll(/^\| `probity (\S+?)[ `]/gm)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(10);
    expect(new Set(commands).size).toBe(commands.length);
  });
});

/** Replaces npm: knows two versions of each line, and installs a Node that records what it should run. */
const NPM = `#!${process.execPath}
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
const requested = process.argv.find((one) => /^node-.*@/.test(one));
const [name, version] = requested.split('@');
if (process.argv[2] === 'view') {
  const isExact = version.split('.').length === 3;
  console.log(JSON.stringify(isExact ? version : [version + '.10.1', version + '.9.0']));
} else {
  appendFileSync('installed', requested + '\\n');
  const folder = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules/' + name;
  mkdirSync(folder + '/bin', { recursive: true });
  writeFileSync(folder + '/package.json', JSON.stringify({ bin: { node: 'bin/node' } }));
  const node = '#!/bin/sh\\n[ "$1" = --version ] && echo v' + version + ' || echo ' + version + ' "$1" >> ran\\n';
  writeFileSync(folder + '/bin/node', node, { mode: 0o755 });
}
`;

describe('npm run node-versions', () => {
  it('runs the newest version of each line and the oldest supported ones, and installs each exact version once', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'probity-nodes-'));
    writeFileSync(path.join(folder, 'npm'), NPM);
    chmodSync(path.join(folder, 'npm'), 0o755);
    const tryAll = (): string => {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        [path.join(ROOT, 'scripts/node-versions.mjs')],
        {
          cwd: folder,
          encoding: 'utf8',
          env: { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` },
        },
      );
      expect(status, stderr).toBe(0);
      return stdout;
    };
    const stdout = tryAll();
    tryAll();
    const installed = readFileSync(path.join(folder, 'installed'), 'utf8').trim().split('\n');
    expect(installed.map((one) => one.split('@')[1])).toEqual([
      '20.19.10.1',
      '22.12.0',
      '22.10.1',
      '24.10.1',
      '26.10.1',
    ]);
    expect(existsSync(path.join(folder, 'node_modules/.cache/probity/node-22.10.1'))).toBe(true);
    expect(stdout).toContain('Node v22.12.0: command, library pass');
    expect(stdout).toContain('Node v22.10.1: command, library, tests pass');
    const ran = readFileSync(path.join(folder, 'ran'), 'utf8');
    expect(ran).toContain('22.12.0 dist/probity.js');
    expect(ran).not.toContain('22.12.0 node_modules/vitest/vitest.mjs');
    expect(ran).toContain('26.10.1 node_modules/vitest/vitest.mjs');
  });
});
