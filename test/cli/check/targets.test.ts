import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startReferenceServer } from '../../../src/reference/server.ts';
import { readReport } from '../../../src/report/read-report.ts';
import { deadAddress } from '../../free-port.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

let reference: RunningServer;
let other: RunningServer;
let broken: string;
let silent: string;
const closers: (() => void)[] = [];

beforeAll(async () => {
  reference = await startReferenceServer({ form: 'A' });
  other = await startReferenceServer({ form: 'B' });
  broken = await listen(
    createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"OK"}');
    }),
  );
  silent = await listen(net.createServer(() => undefined));
});

afterAll(async () => {
  await Promise.all([reference.close(), other.close()]);
  for (const close of closers) close();
});

async function listen(server: net.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function folderWith(...targets: readonly string[]): string {
  const cwd = emptyFolder();
  const text = `config: v1\nonly: ["health/*"]\nlatency: { off: true }\ntargets:\n${targets.map((target) => `  - ${target}\n`).join('')}`;
  writeFileSync(path.join(cwd, 'probity.config.yaml'), text);
  return cwd;
}

const inReports = (cwd: string): readonly string[] => readdirSync(path.join(cwd, 'reports')).toSorted();

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('several targets', () => {
  it('are checked at once, whatever happens to one of them, and the worst decides the exit code', async () => {
    const gone = await deadAddress();
    const cwd = folderWith(
      `{ name: good, url: "${reference.url}" }`,
      `{ name: failing, url: "${broken}" }`,
      `{ name: hanging, url: "${silent}", timeoutSeconds: 1 }`,
      `{ name: gone, url: "${gone}" }`,
      `{ name: other, url: "${other.url}", only: [capabilities/reachable] }`,
    );
    const { code, stdout, stderr } = await runCommand(
      ['check', '--jobs', '2', '--output', 'out/', '--format', 'html,junit,json'],
      { cwd },
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^PASS +good +\d+ passed {2}[\d.]+ s$/m);
    expect(stdout).toMatch(/^PASS +other +1 passed/m);
    expect(stdout).toMatch(/^FAIL +failing +\d+ passed, \d+ failed/m);
    expect(stdout).toMatch(/^UNREACHABLE +hanging/m);
    expect(stdout).toMatch(/^UNREACHABLE +gone/m);
    expect(stdout).toMatch(/^failing\n.*\n\n✗ health/m);
    expect(stdout).not.toMatch(/^good\n/m);
    expect(stdout).toMatch(/5 targets: 2 pass, 2 unreachable, 1 fail {2}[\d.]+ s\n$/);
    expect(stderr).toContain(`failing: checking ${broken}\n`);
    expect(stderr).toMatch(/^failing: fails: health\/\S+: .+ \(GET http.*\/health\)$/m);
    expect(stderr).not.toMatch(/^(?:fails|good: fails|other: fails): /m);
    expect(readdirSync(path.join(cwd, 'out')).toSorted()).toEqual([
      'failing',
      'gone',
      'good',
      'hanging',
      'index.html',
      'index.json',
      'other',
    ]);
    expect(readdirSync(path.join(cwd, 'out', 'good')).toSorted()).toEqual([
      'probity.html',
      'probity.json',
      'probity.junit.xml',
    ]);
    const page = readFileSync(path.join(cwd, 'out', 'index.html'), 'utf8');
    expect(page).toContain('href="failing/probity.html"');
    const index = JSON.parse(readFileSync(path.join(cwd, 'out', 'index.json'), 'utf8'));
    expect(index.targets).toMatchObject([
      { name: 'good', verdict: 'pass', report: 'good/probity.html' },
      { name: 'failing', verdict: 'fail' },
      { name: 'hanging', reachable: false },
      { name: 'gone', reachable: false },
      { name: 'other', summary: { passed: 1 } },
    ]);
  });

  it('have reports, history and repeated findings of their own, even with the same address', async () => {
    const cwd = folderWith(
      `{ name: first, url: "${broken}" }`,
      `{ name: second, url: "${broken}", only: [health/status-200] }`,
    );
    await runCommand(['check', '--keep', '1'], { cwd });
    const { stdout } = await runCommand(['check', '--keep', '1', '--target', 'first', '-v'], { cwd });
    const names = inReports(cwd);
    expect(names).toHaveLength(2);
    expect(names.filter((name) => name.includes('-second-'))).toHaveLength(1);
    const [file = ''] = names.filter((name) => name.includes('-first-'));
    const { settings, findings } = await readReport(path.join(cwd, 'reports', file));
    expect(settings.targetName).toBe('first');
    expect(findings[0]?.check).toMatch(/^probity check --target first --only health\/\S+ --seed \d+$/);
    expect(stdout).toContain('1 target: 1 fail');
    const again = await runCommand(['check', '--last-failed', '--target', 'f*'], { cwd });
    expect(again.stderr).toContain(`first: checking what failed in ${path.join('reports', file)}`);
  });

  it('are checked again with the files that the command line names', async () => {
    const cwd = folderWith(`{ name: first, url: "${broken}", only: ["mine/*"] }`);
    renameSync(path.join(cwd, 'probity.config.yaml'), path.join(cwd, 'my config.yaml'));
    const own =
      '{ id: own, request: { get: /health }, expect: { status: { is: 201, id: created, level: MUST } } }';
    writeFileSync(path.join(cwd, 'my.yaml'), `{ suite: v1, id: mine, title: Mine, steps: [${own}] }`);
    const named = ['--config', 'my config.yaml', '--suite', 'my.yaml'];
    await runCommand(['check', '--target', 'first', ...named], { cwd });
    const [file = ''] = inReports(cwd);
    const { findings } = await readReport(path.join(cwd, 'reports', file));
    const command = findings.find(({ id }) => id === 'mine/created')?.check ?? '';
    expect(command).toMatch(
      /^probity check --target first --config 'my config\.yaml' --suite my\.yaml --only mine\/created --seed/,
    );
  });

  it('that cannot be checked say why, and the others are checked', async () => {
    const cwd = folderWith(
      `{ name: keyless, url: "${reference.url}", bearerEnv: PROBITY_TEST_NO_SUCH_KEY }`,
      '{ name: ended, url: "http://127.0.0.1:9", start: "exit 3" }',
      '{ name: other-rows, mcp: "exit 4" }',
      `{ name: good, url: "${reference.url}" }`,
    );
    const { code, stdout } = await runCommand(['check', '--json'], { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).targets).toMatchObject([
      { kind: 'not-checked', exitCode: 2, reason: expect.stringContaining('PROBITY_TEST_NO_SUCH_KEY') },
      { kind: 'checked', name: 'ended', reachable: false },
      {
        kind: 'not-checked',
        exitCode: 2,
        reason: expect.stringContaining('only for servers of forms A and B'),
      },
      { kind: 'checked', verdict: 'pass' },
    ]);
    const start = await runCommand(['check', '--target', 'ended'], { cwd });
    expect(start.code).toBe(3);
  });

  it.each([
    [['--target', 'god'], 'Did you mean good?'],
    [['--target', 'x*'], 'Its targets are good.'],
    [['http://127.0.0.1:9', '--target', 'good'], '--target applies to the targets of a configuration'],
    [['--start', 'true'], 'Write `start` into the target'],
    [['--baseline', 'b.yaml'], 'Write `baseline` into the target'],
    [['--format', 'html', '--output', 'one.html'], '--output one.html is not a folder'],
  ])('refuses %j', async (args, message) => {
    const cwd = folderWith(`{ name: good, url: "${reference.url}" }`);
    const { code, stderr } = await runCommand(['check', ...args], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  it.each(['watch', 'bench', 'plan', 'fuzz'])('are refused by %s', async (command) => {
    const cwd = folderWith(`{ name: good, url: "${reference.url}" }`);
    const { code, stderr } = await runCommand([command], { cwd });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Only `probity check` without an address checks the `targets`'),
    });
  });

  it('do not matter for a check of one address, and --target needs some', async () => {
    const cwd = folderWith(`{ name: bad, url: "${broken}" }`);
    expect((await runCommand(['check', reference.url], { cwd })).code).toBe(0);
    const none = await runCommand(['check', '--target', 'bad'], {});
    expect(none.stderr).toContain('there is no configuration');
  });
});

describe.concurrent('probity merge', () => {
  async function reportOf(cwd: string, url: string, ...only: readonly string[]): Promise<string> {
    const folder = `of-${only.join('-').replaceAll(/\W/g, '')}-${new URL(url).port}`;
    await runCommand(['check', url, '--no-latency', '--only', only.join(','), '--reports', folder], { cwd });
    const [name = ''] = readdirSync(path.join(cwd, folder));
    return path.join(folder, name);
  }

  it('makes one report of the parts of a check', async () => {
    const cwd = emptyFolder();
    const parts = [
      await reportOf(cwd, reference.url, 'health/*'),
      await reportOf(cwd, reference.url, 'capabilities/*'),
    ];
    const { code, stdout } = await runCommand(['merge', ...parts], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('PASS  6 of 6 functions exercised, no selected requirement failed.');
    await runCommand(['merge', ...parts, '--format', 'json', '--output', 'all.json'], { cwd });
    const all = await readReport(path.join(cwd, 'all.json'));
    const ids = all.results.map(({ id }) => id.split('/')[0]);
    expect(new Set(ids)).toEqual(new Set(['health', 'capabilities']));
    expect((await runCommand(['judge', 'all.json', '-q'], { cwd })).stdout).toContain('PASS');
  });

  it('makes an index of several targets, with their pages, or one file', async () => {
    const cwd = emptyFolder();
    const reports = [await reportOf(cwd, reference.url, 'health/*'), await reportOf(cwd, broken, 'health/*')];
    const { code, stdout } = await runCommand(['merge', ...reports], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('2 targets: 1 pass, 1 fail');
    await runCommand(['merge', ...reports, '--format', 'html,junit', '--output', 'out/'], { cwd });
    const page = readFileSync(path.join(cwd, 'out', 'index.html'), 'utf8');
    const [, link = ''] = /href="([^"#]+\/probity\.html)"/.exec(page) ?? [];
    expect(readFileSync(path.join(cwd, 'out', link), 'utf8')).toContain(reference.url);
    const junit = await runCommand(['merge', ...reports, '--format', 'junit'], { cwd });
    expect(junit.stdout).toBe(readFileSync(path.join(cwd, 'out', 'probity.junit.xml'), 'utf8'));
    expect(junit.stdout).toContain(`${broken}: health`);
  });

  it('refuses what does not belong together, and formats that hold one target', async () => {
    const cwd = emptyFolder();
    const first = await reportOf(cwd, reference.url, 'health/status-200');
    const second = await reportOf(cwd, broken, 'health/*');
    const text = readFileSync(path.join(cwd, second), 'utf8').replaceAll(broken, reference.url);
    writeFileSync(path.join(cwd, 'second.json'), text);
    const foreign = await reportOf(cwd, other.url, 'health/*');
    const badge = await runCommand(['merge', first, foreign, '--format', 'badge'], { cwd });
    expect({ code: badge.code, stderr: badge.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('--format badge holds one target'),
    });
    const whole = await reportOf(cwd, reference.url, 'health/*');
    const conflict = await runCommand(['merge', whole, 'second.json'], { cwd });
    expect(conflict.code).toBe(2);
    expect(conflict.stderr).toMatch(
      /^health\/\S+ of http:\S+ is passed in \S+ and failed in second\.json\./m,
    );
  });
});
