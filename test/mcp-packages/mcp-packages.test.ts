import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { emptyFolder, runCommand } from '../cli/run-command.ts';
import { until } from '../eventually.ts';
import { unless } from '../set-up/skips.ts';
import { installPackages, WITHOUT_NETWORK } from './installed.ts';
import { processesWithHome } from './left-processes.ts';
import { type ExpectedFinding, LEFT_OUT, type PackagedServer, SERVERS } from './servers.ts';

/** A slow machine must not decide, nor which of two calls comes first. */
const REPEATABLE = ['--deadline', '600', '--concurrency', '1', '--seed', '7'];
const WHOLE_SERVER = 'the server';
const EXIT_CODES = { pass: 0, fail: 1, incomplete: 4 } as const;

const { folder: packages, missing } = installPackages();

afterAll(() => {
  if (packages !== null) rmSync(packages, { recursive: true, force: true });
});

describe('a server from npm', unless(missing), () => {
  it.each(SERVERS)('is judged as it deserves: $package', async (server) => {
    const { home, work, env } = workspace(server);
    const command = [
      WITHOUT_NETWORK,
      `"${process.execPath}"`,
      `"${path.join(packages ?? '', 'node_modules/.bin', server.bin)}"`,
      ...(server.args ?? []),
    ].join(' ');
    const named = Object.keys(server.paths ?? {}).flatMap((name) => ['--env', name]);
    const { code, stdout, stderr } = await runCommand(
      [
        ...['check', '--mcp', command, '--no-latency', '--json', ...REPEATABLE, ...named],
        ...['--timeout', String(server.timeoutS ?? 120)],
      ],
      // With the home of the package, whose processes are counted.
      { cwd: work, env, isAlone: true },
    );
    expect(processesWithHome(home)).toEqual([]);
    expect(stdout, stderr).not.toBe('');
    const { verdict, findings } = JSON.parse(stdout) as TestResult;
    const [seen, wanted] = [found(findings), expected(server.findings)];
    expect({
      unexpected: seen.filter((one) => !wanted.includes(one)),
      missing: wanted.filter((one) => !seen.includes(one)),
    }).toEqual({ unexpected: [], missing: [] });
    expect({ verdict, code }).toEqual({ verdict: server.verdict, code: EXIT_CODES[server.verdict] });
  });

  it('has its exact version in the committed list, which has no other package', () => {
    const { dependencies } = pinned<Manifest>('package.json');
    expect(Object.keys(dependencies).toSorted()).toEqual(SERVERS.map((one) => one.package).toSorted());
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const { packages: locked } = pinned<{ readonly packages: { readonly '': Manifest } }>(
      'package-lock.json',
    );
    expect(locked[''].dependencies).toEqual(dependencies);
  });

  it('would be found if it were left running', async () => {
    const home = emptyFolder();
    const left = spawn(`${WITHOUT_NETWORK} "${process.execPath}" --eval "setInterval(() => 0, 60_000)"`, {
      shell: true,
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, HOME: home },
    });
    onTestFinished(() => void (left.pid !== undefined && process.kill(-left.pid, 'SIGKILL')));
    await once(left, 'spawn');
    await until(() => processesWithHome(home).length > 0);
    expect(processesWithHome(home)).toContain(left.pid);
  });
});

describe('a server that is not checked', () => {
  for (const [name, reason] of Object.entries(LEFT_OUT))
    it(name, unless(`${name}: ${reason}`), () => {
      expect.unreachable();
    });
});

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

function pinned<Content>(file: string): Content {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, 'pinned', file), 'utf8')) as Content;
}

/** Each server has its own folders, and finds one file. */
function workspace({ paths = {} }: PackagedServer) {
  const folder = emptyFolder();
  const [home, work, temporary] = ['home', 'work', 'tmp'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const one of [home, path.join(work, 'files'), temporary]) mkdirSync(one, { recursive: true });
  writeFileSync(path.join(work, 'files/a.txt'), 'a\n');
  const files = Object.entries(paths).map(([name, file]) => [name, path.join(work, file)]);
  return { home, work, env: { ...Object.fromEntries(files), HOME: home, TMPDIR: temporary } };
}

/** One line for each requirement and function, however many parameters or calls show it. */
function found(findings: TestResult['findings']): readonly string[] {
  const lines = findings.map(({ id, outcome, fault, where, message }) => {
    const [, named] = /\b(?:function|tool) "([^"]+)"/.exec(message) ?? [];
    return line(outcome, fault, id, where.function ?? named ?? WHOLE_SERVER);
  });
  return [...new Set(lines)].toSorted();
}

function expected(findings: readonly ExpectedFinding[]): readonly string[] {
  return findings
    .flatMap(({ outcome, requirement, functions = [WHOLE_SERVER] }) =>
      functions.map((name) => line(outcome, outcome === 'failed' ? 'server' : 'harness', requirement, name)),
    )
    .toSorted();
}

function line(outcome: string, fault: string, requirement: string, name: string): string {
  return `${outcome} (${fault}): ${requirement} of ${name}`;
}
