import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandModels } from '../../../src/cli/help/command-model.ts';
import { SHELLS, type Shell } from '../../../src/cli/help/shells.ts';
import { loadSuites } from '../../../src/suite/load-suites.ts';
import { unless } from '../../set-up/skips.ts';
import { programFromSource } from '../program.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const scripts = new Map<Shell, string>();
const folder = emptyFolder();

beforeAll(async () => {
  for (const shell of SHELLS) {
    const { code, stdout } = await runCommand(['completion', shell]);
    expect(code).toBe(0);
    scripts.set(shell, stdout);
    writeFileSync(path.join(folder, `script.${shell}`), stdout);
  }
  mkdirSync(path.join(folder, 'reports'));
  for (const file of ['reports/one.json', 'reports/one.html', 'mine.yaml'])
    writeFileSync(path.join(folder, file), '');
});

function isMissing(shell: Shell): string | null {
  return spawnSync(shell, ['--version']).error === undefined ? null : `${shell} is not installed`;
}

/** What bash offers for the last of the words. */
function offeredByBash(...words: readonly string[]): readonly string[] {
  const script = `source script.bash
COMP_WORDS=(probity "$@")
COMP_CWORD=$#
_probity
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  // A shell without a prompt has no completion whose options could be changed.
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

describe.each(SHELLS)('completion for %s', (shell) => {
  it('has every command, option, choice and requirement', async () => {
    const script = scripts.get(shell) ?? '';
    const { registry } = await loadSuites();
    for (const id of registry.keys()) expect(script).toContain(id);
    const flagIn = (flag: string): string =>
      shell === 'fish' ? (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`) : flag;
    const models = commandModels(programFromSource());
    expect(models.length).toBeGreaterThan(15);
    const starts = models.map(({ name }) =>
      script.search(
        shell === 'fish' ? new RegExp(`__fish_use_subcommand -a ${name} `) : new RegExp(`^ +${name}\\)`, 'm'),
      ),
    );
    models.forEach(({ name, options }, index) => {
      const start = starts[index] ?? -1;
      expect(start, name).toBeGreaterThan(0);
      const next = Math.min(...starts.filter((other) => other > start), script.length);
      const own = script.slice(start, next);
      for (const { flags, values } of options.flatMap(([, items]) => items)) {
        for (const flag of flags) expect(own, name).toContain(flagIn(flag));
        if (values.kind === 'words' || values.kind === 'list') expect(own).toContain(values.words.join(' '));
      }
    });
  });

  it('is read by the shell without an error', unless(isMissing(shell)), () => {
    const { status, stderr } = spawnSync(shell, ['-n', `script.${shell}`], { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('bash completes', unless(isMissing('bash')), () => {
  it('commands and their options', () => {
    expect(offeredByBash('ch')).toEqual(['check']);
    expect(offeredByBash('help', 'ba')).toEqual(['baseline']);
    expect(offeredByBash('watch', '--fa')).toEqual(['--fail-on']);
    expect(offeredByBash('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(offeredByBash('diff', '--only')).toEqual([]);
  });

  it('values of choices, also in lists and after an equals sign', () => {
    expect(offeredByBash('check', '--fail-on', '')).toEqual(['must', 'should']);
    expect(offeredByBash('check', '--form', '')).toEqual(['auto', 'A', 'B']);
    expect(offeredByBash('check', '--form', '=', 'a')).toEqual(['auto']);
    expect(offeredByBash('check', '--form', '=')).toEqual(['auto', 'A', 'B']);
    expect(offeredByBash('render', 'x.json', '--format', 'html,j')).toEqual(['html,json', 'html,junit']);
    expect(offeredByBash('check', '--timeout', '')).toEqual([]);
  });

  it('requirements', () => {
    expect(offeredByBash('explain', 'health/status-')).toEqual(['health/status-200', 'health/status-string']);
    expect(offeredByBash('check', '--only', 'health/reachable,health/status-2')).toEqual([
      'health/reachable,health/status-200',
    ]);
    expect(offeredByBash('check', '--skip', 'errors/')).toContain('errors/unknown-function-status');
  });

  it('reports and other files', () => {
    expect(offeredByBash('render', 'reports/')).toEqual(['reports/one.json']);
    expect(offeredByBash('diff', 'rep')).toEqual(['reports']);
    expect(offeredByBash('diff', 'reports/one.json', 'reports/')).toEqual(['reports/one.json']);
    expect(offeredByBash('show', 'reports/')).toEqual(['reports/one.json']);
    expect(offeredByBash('show', 'reports/one.json', 'health/reach')).toEqual(['health/reachable']);
    expect(offeredByBash('check', '--config', 'mi')).toEqual(['mine.yaml']);
    expect(offeredByBash('check', '--reports', '')).toEqual(['reports']);
  });
});

it('completion names the shells it knows', async () => {
  const { code, stderr } = await runCommand(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are bash, zsh, fish');
});
