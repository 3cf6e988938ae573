import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FORMAT_NAMES } from '../../src/check/render/render-format.ts';
import { startReferenceServer } from '../../src/reference/server.ts';
import { action, emptyWorkspace, ROOT } from '../action/run-action.ts';
import { type Finished, runCommand } from '../cli/run-command.ts';

const page = readFileSync('docs/ci.md', 'utf8');

/** Options of other commands that the examples use. */
const FOREIGN_OPTIONS = [
  '--ignore-scripts',
  '--workflow',
  '--branch',
  '--event',
  '--status',
  '--limit',
  '--json',
  '--jq',
  '--name',
  '--dir',
];

function blocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);
}

function tableAfter(heading: string): readonly string[] {
  const section = page
    .slice(page.indexOf(`\n${heading}\n`))
    .split('\n')
    .slice(2);
  const rows = section.slice(section.findIndex((line) => line.startsWith('|')) + 2);
  return rows.slice(
    0,
    rows.findIndex((line) => !line.startsWith('|')),
  );
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Readonly<Record<string, unknown>>[] }>>;
}

describe('docs/ci.md', () => {
  it('lists the inputs and outputs of the action as action.yml has them', () => {
    const inputs = Object.entries(action.inputs).map(
      ([name, { description, required, default: standard = '' }]) => {
        const leftOut = required === true ? 'a mistake' : standard === '' ? '' : `\`${standard}\``;
        return `| \`${name}\` | ${description} | ${leftOut} |`;
      },
    );
    expect(tableAfter('### Inputs')).toEqual(inputs);
    expect(tableAfter('### Outputs')).toEqual(
      Object.entries(action.outputs).map(([name, { description }]) => `| \`${name}\` | ${description} |`),
    );
  });

  it('lists the exit codes that the command has', async () => {
    const { stdout } = await runCommand(['--help']);
    const codes = tableAfter('## Exit codes').map((row) => row.split('|')[1]?.trim());
    const [, listed = ''] = /Exit codes: (.*)/s.exec(stdout) ?? [];
    expect(codes).toEqual([...listed.matchAll(/\b(\d+) /g)].map(([, code]) => code));
  });

  it('names only options and commands that exist', async () => {
    const help = await Promise.all(
      [['--help'], ['check', '--help'], ['baseline', '--help']].map((args) => runCommand(args)),
    );
    const known = new Set([
      ...help.flatMap(({ stdout }) => [...stdout.matchAll(/--[a-z][a-z-]*/g)].map(([option]) => option)),
      ...FOREIGN_OPTIONS,
    ]);
    for (const [option] of page.matchAll(/(?<![\w-])--[a-z][a-z-]*/g))
      expect(known, option).toContain(option);
    for (const [, command = ''] of page.matchAll(/probity\.js ([a-z]+)/g))
      expect(help[0]?.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it('names only formats that exist', () => {
    const lists = [...page.matchAll(/--format ([a-z,]+)/g)].map(([, list = '']) => list);
    for (const list of [...lists, action.inputs.formats?.default ?? ''])
      for (const name of list.split(',')) expect(FORMAT_NAMES).toContain(name);
  });

  it('shows valid YAML workflows with inputs that the action accepts', () => {
    const documents = blocks('yaml').map((text) => parse(text, { strict: true }) as object);
    expect(documents).toHaveLength(3);
    const steps = documents
      .filter((document): document is Workflow => 'jobs' in document)
      .flatMap(({ jobs }) => Object.values(jobs).flatMap((job) => job.steps));
    const [use, ...more] = steps.filter(({ uses }) => uses === 'probity-mcp/probity@REF');
    expect(more).toEqual([]);
    for (const input of Object.keys((use?.with ?? {}) as object)) expect(action.inputs).toHaveProperty(input);
    for (const [, output = ''] of page.matchAll(/steps\.probity\.outputs\.([\w-]+)/g))
      expect(action.outputs).toHaveProperty(output);
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

  it('shows valid POSIX shell', () => {
    expect(blocks('sh').length).toBeGreaterThan(0);
    for (const input of blocks('sh')) execFileSync('sh', ['-n'], { input });
  });

  it('shows a gate that opens only for a conforming server', async () => {
    const script = blocks('sh').find((text) => text.startsWith('#!/bin/sh')) ?? '';
    const cwd = emptyWorkspace();
    mkdirSync(path.join(cwd, '.probity'));
    symlinkSync(path.join(ROOT, 'dist'), path.join(cwd, '.probity/dist'));
    const gate = (...args: readonly string[]): Promise<Finished> =>
      new Promise((resolve) =>
        execFile('sh', ['-c', script, 'gate.sh', ...args], { cwd }, (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
        ),
      );

    const reference = await startReferenceServer({ form: 'B' });
    const open = await gate(reference.url, '--only', 'health/*');
    await reference.close();
    expect(open.code).toBe(0);
    expect(open.stdout).toContain('The server keeps its contract.');

    const free = net.createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const gone = await gate(`http://127.0.0.1:${port}`);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain('The server does not answer');

    const wrong = await gate('localhost:3000');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('Nothing was checked (exit code 2).');
  });
});
