import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startReferenceServer } from '../../../src/reference/server.ts';
import { startBrokenServer } from '../broken-server.ts';
import { emptyFolder, runCommand } from '../run-command.ts';
import { endWhatIsLeft, serverToStart } from '../started.ts';

interface TraceEvent {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly id?: number;
  readonly ts?: number;
  readonly dur?: number;
}

let reference: RunningServer;
beforeAll(async () => {
  reference = await startReferenceServer({ form: 'B' });
});
afterAll(() => reference.close());
afterAll(endWhatIsLeft);

describe('--profile', () => {
  test('writes the phases and the waits of a check, and prints where its time went', async () => {
    const file = path.join(emptyFolder(), 'traces', 'check.json');
    const { code, stderr } = await runCommand(['check', reference.url, '--no-latency', '--profile', file]);
    expect(code).toBe(0);
    const { traceEvents } = JSON.parse(readFileSync(file, 'utf8')) as { traceEvents: readonly TraceEvent[] };
    const phases = traceEvents.filter(({ ph }) => ph === 'X');
    const names = phases.map(({ name }) => name);
    expect(names.at(0)).toBe('starting the command');
    expect(names).toEqual(expect.arrayContaining(['starting the thread', 'first calls', 'judging']));
    expect(names.at(-1)).toBe('writing the report');
    // Phases follow each other, up to the microsecond to which times are rounded.
    for (const [index, { ts = 0 }] of phases.slice(1).entries()) {
      const { ts: beforeTs = 0, dur = 0 } = phases[index] ?? {};
      expect(ts).toBeGreaterThanOrEqual(beforeTs + dur - 1);
    }
    const answered = traceEvents.filter(({ ph, cat }) => ph === 'e' && cat === 'answer');
    expect(answered.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['health/read#0', 'health/read#1']),
    );
    const begun = traceEvents.filter(({ ph, cat }) => ph === 'b' && cat === 'answer');
    expect(begun.map(({ id }) => id)).toEqual(answered.map(({ id }) => id));
    expect(stderr).toMatch(
      /^Where \d+ ms went; all threads of Probity together used \d+ ms of processor time:$/m,
    );
    expect(stderr).toMatch(/^ {2}first calls +\d+ +\d+/m);
    expect(stderr).toContain(`written: ${file}`);
  });

  test('counts the start and the end of a server as waits', async () => {
    const { cwd, port, url, command } = await serverToStart();
    const args = ['--only', 'health/status-200', '--no-latency', '--profile', 'trace.json'];
    const { code, stderr } = await runCommand(['check', url, '--start', command, ...args], {
      cwd,
      env: { PORT: String(port), MODE: '' },
    });
    expect(code).toBe(0);
    const { traceEvents } = JSON.parse(readFileSync(path.join(cwd, 'trace.json'), 'utf8')) as {
      traceEvents: readonly TraceEvent[];
    };
    const begun = traceEvents.filter(({ ph, cat }) => ph === 'b' && cat === 'server');
    expect(begun.map(({ name }) => name)).toEqual(['occupant', 'start', 'end']);
    expect(stderr).toMatch(/^ +ms .*\bserver\b.* own work$/m);
  });

  test('refuses a file that cannot be written before it sends anything', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'text'), '');
    const cases: readonly (readonly [args: readonly string[], problem: RegExp])[] = [
      [['--profile', 'text/trace.json'], /Cannot write text\/trace\.json: .*text is not a folder.*--profile/],
      [['--profile', '.'], /Cannot write \.: it is a folder\. Choose another file with --profile/],
      [['--format', 'html', '--output', 'text/report.html'], /Cannot write text\/report\.html: .*--output/],
    ];
    for (const [args, problem] of cases) {
      const { code, stderr } = await runCommand(['check', reference.url, '--no-latency', ...args], { cwd });
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toMatch(problem);
      expect(stderr).not.toContain('checking');
    }
    expect(readdirSync(cwd)).toEqual(['text']);
  });

  test('leaves the verdict as it is if the file cannot be written in the end', async () => {
    const cwd = emptyFolder();
    // Somebody makes a folder of its name while the check goes on.
    const server = await startBrokenServer((_, body) => {
      mkdirSync(path.join(cwd, 'trace.json'), { recursive: true });
      return body;
    });
    const { code, stdout, stderr } = await runCommand(
      ['check', server.url, '--no-latency', '--profile', 'trace.json'],
      { cwd },
    ).finally(server.close);
    expect(code).toBe(0);
    expect(stdout).toContain('PASS');
    expect(stderr).toMatch(/^warning: Cannot write trace\.json: E[A-Z]+\./m);
  });

  test('names a file', async () => {
    const cwd = emptyFolder();
    const { code, stderr } = await runCommand(['check', reference.url, '--profile', '-'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('--profile writes a file');
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('is for one of the targets of a configuration, which has no place for it', async () => {
    const cwd = emptyFolder();
    const targets = ['one', 'two'].map((name) => `  - { name: ${name}, url: "${reference.url}" }\n`);
    writeFileSync(path.join(cwd, 'probity.config.yaml'), `config: v1\ntargets:\n${targets.join('')}`);
    const { code, stderr } = await runCommand(['check', '--profile', 'check.json'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(
      '--profile is for one server, and the configuration names several. Check one of them',
    );
  });

  test('is for one target', async () => {
    const cwd = emptyFolder();
    const file = path.join(cwd, 'check.json');
    writeFileSync(path.join(cwd, 'mcp.json'), '{ "mcpServers": { "one": { "command": "node" } } }');
    const args = ['check', '--from', 'mcp.json', '--profile', file];
    const { code, stderr } = await runCommand(args, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('--profile');
    expect(existsSync(file)).toBe(false);
  });
});
