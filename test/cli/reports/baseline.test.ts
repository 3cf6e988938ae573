import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import {
  type BrokenServer,
  startBrokenServer,
  statusIsNull,
  statusIsNumber,
  timestampWithoutZone,
} from '../broken-server.ts';
import { emptyFolder, type Finished, runCommand } from '../run-command.ts';

const schema = JSON.parse(readFileSync('schemas/test-result.schema.json', 'utf8')) as object;
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);

const FILE = 'probity.baseline.yaml';
const servers: Pick<BrokenServer, 'close'>[] = [];

afterAll(() => {
  for (const server of servers) server.close();
});

async function serve(...args: Parameters<typeof startBrokenServer>): Promise<BrokenServer> {
  const server = await startBrokenServer(...args);
  servers.push(server);
  return server;
}

/** A short check, with its report. */
async function check(
  cwd: string,
  url: string,
  ...args: readonly string[]
): Promise<Finished & { readonly report: TestResult; readonly file: string }> {
  const folder = `reports-${readdirSync(cwd).length}`;
  const finished = await runCommand(
    ['check', url, '--only', 'health/*', '--no-latency', '--reports', folder, ...args],
    { cwd },
  );
  const [name = ''] = readdirSync(path.join(cwd, folder));
  const file = path.join(folder, name);
  return { ...finished, file, report: JSON.parse(readFileSync(path.join(cwd, file), 'utf8')) as TestResult };
}

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('a baseline', () => {
  it('is written from a report, makes the next run pass, and applies to all output', async () => {
    const cwd = emptyFolder();
    const server = await serve(statusIsNumber);
    const first = await check(cwd, server.url);
    expect(first.code).toBe(1);
    const written = await runCommand(
      ['baseline', first.file, '--reason', 'old clients', '--until', '2999-12-31'],
      {
        cwd,
      },
    );
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(written.stderr).toContain(`written: ${FILE}`);
    expect(readFileSync(path.join(cwd, FILE), 'utf8')).toMatch(
      /requirement: health\/status-string\n.*outcome: failed\n.*fingerprint: "[0-9a-f]{16}"\n.*reason: old clients\n.*until: "2999-12-31"/,
    );
    expect(await runCommand(['lint', FILE], { cwd })).toMatchObject({
      code: 0,
      stdout: 'No mistakes in 1 file.\n',
    });

    const second = await check(
      cwd,
      server.url,
      '--baseline',
      FILE,
      '--verbose',
      '--format',
      'markdown,github',
    );
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('ACCEPTED  health/status-string  until 2999-12-31');
    expect(second.stdout).toMatch(/old\s+clients/);
    expect(second.stdout).toContain('PASS  Every selected requirement that applies is met, except');
    expect(second.stdout).toContain('::notice title=probity%3A PASS');
    expect(second.stdout).not.toContain('::error');
    expect(second.report).toMatchObject({ verdict: 'pass', baseline: { problems: [] } });
    expect(validate(second.report), JSON.stringify(validate.errors)).toBe(true);
    expect(readFileSync(path.join(cwd, second.file.replace(/json$/, 'md')), 'utf8')).toContain(
      'Probity: PASS',
    );

    const json = await runCommand(
      ['check', server.url, '--only', 'health/*', '--no-latency', '--baseline', FILE, '--json'],
      { cwd },
    );
    expect(json.code).toBe(0);
    expect((JSON.parse(json.stdout) as TestResult).verdict).toBe('pass');

    const judged = await runCommand(['judge', second.file, '--json'], { cwd });
    expect(judged.code).toBe(0);
    expect(JSON.parse(judged.stdout)).toEqual(second.report);
  });

  it('fails the run if an accepted finding has changed or is gone', async () => {
    const cwd = emptyFolder();
    const server = await serve(statusIsNumber);
    await runCommand(['baseline', (await check(cwd, server.url)).file], { cwd });
    server.breakSo(statusIsNull);
    const changed = await check(cwd, server.url, '--baseline', FILE);
    expect(changed.code).toBe(1);
    expect(changed.stdout).toContain('BASELINE  changed  health/status-string');
    server.breakSo(null);
    const gone = await check(cwd, server.url, '--baseline', FILE, '--format', 'github');
    expect(gone.code).toBe(1);
    expect(gone.stdout).toContain('BASELINE  no longer occurs  health/status-string');
    expect(gone.stdout).toContain('::error title=baseline%2C no longer occurs%3A health/status-string');
    // An entry of a requirement that this run leaves out is no problem.
    const other = await check(
      cwd,
      server.url,
      '--baseline',
      FILE,
      '--skip',
      'health/status-string,health/operational',
    );
    expect(other.code).toBe(0);

    const mended = await runCommand(['baseline', gone.file], { cwd });
    expect(mended.code).toBe(0);
    expect(mended.stderr).toContain('dropped, no longer found: health/status-string');
    expect(readFileSync(path.join(cwd, FILE), 'utf8')).toContain('accepted: []');
    expect((await check(cwd, server.url, '--baseline', FILE)).code).toBe(0);
  });

  it('fails the run when it has expired, and keeps reasons when it is written again', async () => {
    const cwd = emptyFolder();
    const server = await serve(statusIsNumber);
    const first = await check(cwd, server.url);
    await runCommand(['baseline', first.file, '--reason', 'ours'], { cwd });
    const text = readFileSync(path.join(cwd, FILE), 'utf8');
    writeFileSync(path.join(cwd, FILE), text.replaceAll(/until: "[\d-]+"/g, 'until: 2020-01-01'));
    const expired = await check(cwd, server.url, '--baseline', FILE);
    expect(expired.code).toBe(1);
    expect(expired.stdout).toContain('BASELINE  expired  health/status-string');
    const again = await runCommand(['baseline', expired.file, '--reason', 'another'], { cwd });
    expect(again.stderr).toMatch(
      /kept, but it has expired \(2020-01-01\) and still fails the run: health\/status-string/,
    );
    expect(readFileSync(path.join(cwd, FILE), 'utf8')).toContain('reason: ours\n    until: "2020-01-01"');
  });

  it('is set in the configuration, relative to it, and the flag takes precedence', async () => {
    const cwd = emptyFolder();
    const server = await serve(statusIsNumber);
    const first = await check(cwd, server.url);
    mkdirSync(path.join(cwd, 'ci'));
    await runCommand(['baseline', first.file, '--output', 'ci/known.yaml'], { cwd });
    writeFileSync(path.join(cwd, 'ci/probity.yaml'), 'config: v1\nbaseline: known.yaml\n');
    writeFileSync(path.join(cwd, 'none.yaml'), 'baseline: v1\naccepted: []\n');
    const configured = await check(cwd, server.url, '--config', 'ci/probity.yaml');
    expect(configured.code).toBe(0);
    expect(configured.stderr).toContain(`baseline: ${path.join('ci', 'known.yaml')}`);
    expect(
      (await check(cwd, server.url, '--config', 'ci/probity.yaml', '--baseline', 'none.yaml')).code,
    ).toBe(1);
  });

  it('that is missing or invalid ends the command before the first request', async () => {
    const cwd = emptyFolder();
    const server = await serve();
    writeFileSync(
      path.join(cwd, 'broken.yaml'),
      'baseline: v1\naccepted: [{ requirement: health/stats-200 }]\n',
    );
    writeFileSync(path.join(cwd, 'config.yaml'), 'config: v1\nbaseline: nowhere.yaml\n');
    for (const [args, says] of [
      [
        ['--baseline', 'nowhere.yaml'],
        /nowhere\.yaml:1:1: cannot read the file: the file does not exist.*write the file with `probity baseline REPORT`/s,
      ],
      [
        ['--baseline', 'broken.yaml'],
        /broken\.yaml:2:12: an accepted finding has no key "reason" \[missing-key\]/,
      ],
      [['--config', 'config.yaml'], /nowhere\.yaml:1:1: cannot read the file/],
    ] as const) {
      const { code, stderr, stdout } = await runCommand(['check', server.url, ...args], { cwd });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(says);
    }
    expect(server.requests()).toBe(0);
    const linted = await runCommand(['lint', 'broken.yaml'], { cwd });
    expect(linted.code).toBe(2);
    expect(linted.stdout).toContain('has no key "fingerprint"');
  });

  it('does not hide an unreachable target', async () => {
    const cwd = emptyFolder();
    const server = await serve(statusIsNumber);
    await runCommand(['baseline', (await check(cwd, server.url)).file], { cwd });
    const gone = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => gone.once('listening', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const silent = await check(cwd, `http://127.0.0.1:${port}`, '--baseline', FILE);
    expect(silent.code).toBe(3);
    expect(silent.stdout).toContain('UNREACHABLE');
    expect(silent.report.baseline?.problems).toEqual([]);
    const refused = await runCommand(['baseline', silent.file], { cwd });
    expect(refused.stderr).toContain('did not answer');
    expect(refused.code).toBe(2);
  });
});

describe.concurrent('probity baseline', () => {
  it('accepts failures, and warnings with --all or if they fail the run', async () => {
    const cwd = emptyFolder();
    const server = await serve(timestampWithoutZone);
    const first = await check(cwd, server.url);
    expect(first.code).toBe(0);
    const nothing = await runCommand(['baseline', first.file, '--output', 'empty.yaml'], { cwd });
    expect(nothing).toMatchObject({ code: 0, stdout: '' });
    expect(nothing.stderr).toMatch(/Nothing to accept: .*the baseline is empty.*--all accepts it too/);
    expect(nothing.stderr).toContain('written: empty.yaml, 0 entries');
    expect(await runCommand(['lint', 'empty.yaml'], { cwd })).toMatchObject({ code: 0 });
    expect((await check(cwd, server.url, '--baseline', 'empty.yaml')).code).toBe(0);

    const strict = await check(cwd, server.url, '--fail-on', 'should', '--format', 'github');
    expect(strict.code).toBe(1);
    expect(strict.stdout).toContain('::error title=SHOULD health/timestamp-zone');
    const printed = await runCommand(['baseline', strict.file, '--output', '-'], { cwd });
    expect(printed.code).toBe(0);
    expect(printed.stdout).toContain('requirement: health/timestamp-zone');
    expect(existsSync(path.join(cwd, FILE))).toBe(false);

    await runCommand(['baseline', first.file, '--all'], { cwd });
    expect((await check(cwd, server.url, '--fail-on', 'should', '--baseline', FILE)).code).toBe(0);
  });

  it('marks entries without a reason in the file and on the screen', async () => {
    const cwd = emptyFolder();
    const server = await serve(statusIsNumber);
    const { stderr } = await runCommand(['baseline', (await check(cwd, server.url)).file], { cwd });
    const until = /accepted until (\d{4}-\d{2}-\d{2})/.exec(stderr)?.[1] ?? '';
    const days = (Date.parse(until) - Date.parse(new Date().toISOString().slice(0, 10))) / 86_400_000;
    expect([89, 90]).toContain(days);
    expect(stderr).toContain('Add a real reason');
    const text = readFileSync(path.join(cwd, FILE), 'utf8');
    expect(text).toContain('no real reason yet');
    expect(text).toContain(`until: "${until}"`);
    expect(text).toMatch(/^# yaml-language-server/);
  });

  it('reports unusable input', async () => {
    const cwd = emptyFolder();
    const server = await serve(statusIsNumber);
    const { file } = await check(cwd, server.url);
    const report = JSON.parse(readFileSync(path.join(cwd, file), 'utf8')) as TestResult;
    writeFileSync(path.join(cwd, 'silent.json'), JSON.stringify({ ...report, reachable: false }));
    writeFileSync(path.join(cwd, 'broken.yaml'), 'baseline: v2\n');
    const [found] = report.findings;
    const findings = Array.from({ length: 6000 }, (_, index) => ({
      ...found,
      where: { ...found?.where, function: `f${index}` },
    }));
    writeFileSync(path.join(cwd, 'much.json'), JSON.stringify({ ...report, findings }));
    for (const [args, says] of [
      [[file, '--until', '2026-02-30'], /Give a date such as 2026-12-31/],
      [[file, '--until', '2020-01-01'], /--until 2020-01-01 is in the past/],
      [[file, '--reason', ' '], /--reason is empty/],
      [['nowhere.json'], /the file does not exist/],
      [['silent.json'], /did not answer/],
      [['much.json'], /600\d findings to accept, more than a baseline can hold/],
      [[file, '--output', 'broken.yaml'], /broken\.yaml:1:11: "v2" is not "v1"/],
    ] as const) {
      const { code, stderr } = await runCommand(['baseline', ...args], { cwd });
      expect(code).toBe(2);
      expect(stderr).toMatch(says);
    }
    expect(readFileSync(path.join(cwd, 'broken.yaml'), 'utf8')).toBe('baseline: v2\n');
    expect(existsSync(path.join(cwd, FILE))).toBe(false);
  });

  it('leaves findings open that only the deadline left undecided', async () => {
    const cwd = emptyFolder();
    let interrupt: () => void = () => undefined;
    let count = 0;
    // After its first answer it is silent, so the run ends at its deadline.
    const silent = http.createServer((_request, response) => {
      count += 1;
      if (count === 1) response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":200}');
      else interrupt();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    servers.push({ close: () => void silent.close().closeAllConnections() });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const flags = ['--only', 'health/*', '--no-latency', '--timeout', '300', '--deadline', '600', '--json'];
    const checked = await runCommand(['check', url, ...flags], {
      cwd,
      onOutput: (_text, kill) => {
        interrupt = () => kill('SIGINT');
      },
    });
    writeFileSync(path.join(cwd, 'ended.json'), checked.stdout);
    const { findings } = JSON.parse(checked.stdout) as TestResult;
    expect(findings.some(({ outcome }) => outcome === 'undecided')).toBe(true);
    const { code, stderr, stdout } = await runCommand(['baseline', 'ended.json', '--output', '-'], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('only this run left them undecided');
    expect(stdout).not.toContain('outcome: undecided');
  });

  it('refuses the result of a bench', async () => {
    const cwd = emptyFolder();
    const server = await serve();
    const bench = await runCommand(
      ['bench', server.url, '--requests', '20', '--warm-up', '0', '--json', '--yes-load'],
      { cwd },
    );
    writeFileSync(path.join(cwd, 'bench.json'), bench.stdout);
    const { code, stderr } = await runCommand(['baseline', 'bench.json'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('is a result of `probity bench`');
  });
});
