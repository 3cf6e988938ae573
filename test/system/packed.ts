import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

export interface Packed {
  readonly file: string;
  readonly tarball: Buffer;
  /** The files in it, relative to its root. */
  readonly files: readonly string[];
}

export interface UserProject {
  readonly folder: string;
  /** Runs a command in the project, which must succeed; returns the output of both streams. */
  run(command: string, ...parameters: readonly string[]): string;
  /** Packs a package of this repository into the project. */
  pack(from: string): Packed;
  /** Installs packed packages; returns npm's warnings, without those that concern the settings of the machine. */
  install(...packed: readonly Packed[]): readonly string[];
}

/** An empty project whose npm refuses packages for another Node version. */
export function createUserProject(): UserProject {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-user-'));
  writeFileSync(path.join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  writeFileSync(path.join(folder, '.npmrc'), 'engine-strict=true\n');
  const { DATABASE_URL: _other, ...env } = process.env;
  const run = (command: string, ...parameters: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: folder, encoding: 'utf8', env });
    expect(status, stdout + stderr).toBe(0);
    return stdout + stderr;
  };
  return {
    folder,
    run,
    pack: (from) => {
      const parameters = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
      const { stdout } = spawnSync('npm', parameters, { cwd: path.join(ROOT, from), encoding: 'utf8' });
      const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
      return {
        file: `./${filename}`,
        tarball: readFileSync(path.join(folder, filename)),
        files: files.map((file) => file.path),
      };
    },
    install: (...packed) => {
      const files = packed.map(({ file }) => file);
      const printed = run('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...files);
      return printed
        .split('\n')
        .filter(
          (line) => /^npm (warn|error)/i.test(line) && !/unknown (user|env|project) config/i.test(line),
        );
    },
  };
}
