// The builds that a section measures in one interleaved run: that of this tree, and with `--before REF` also that of
// another commit, in a temporary clone.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { judged, note } from './sheet.mjs';

export const HERE = buildIn('', path.resolve('.'));

/** This tree first. */
export function buildsWith(before) {
  return before === undefined ? [HERE] : [HERE, buildIn(`before (${before})`, built(before))];
}

function buildIn(name, folder) {
  return {
    name,
    folder,
    file: path.join(folder, 'dist/probity.js'),
    library: path.join(folder, 'dist/index.js'),
  };
}

/** The name of a figure: that of another build follows the one of this tree. */
export function named(name, build) {
  return build === HERE ? name : `  ${build.name}`;
}

/** Judges a figure of this tree, and prints one of another build. */
export function judgedHere(build, name, figures, holds, bound) {
  if (build === HERE) judged(name, figures, holds, bound);
  else note(name, figures);
}

function built(ref) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-before-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const commit = execFileSync('git', ['rev-parse', '--verify', `${ref}^{commit}`], {
    encoding: 'utf8',
  }).trim();
  const run = (command, ...args) =>
    execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', '.', folder]);
  run('git', 'checkout', '--quiet', '--detach', commit);
  const isSameLock =
    execFileSync('git', ['diff', '--name-only', commit, '--', 'package-lock.json']).length === 0;
  if (isSameLock) symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  else run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
  // Without types and docs, which nothing here needs.
  const { scripts } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  for (const step of scripts.build.split(' && '))
    if (step.startsWith('node ') && !step.includes('generate-docs')) run('node', ...step.split(' ').slice(1));
  return folder;
}
