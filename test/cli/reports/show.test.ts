import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { startBrokenServer, statusIsNumber, timestampWithoutZone } from '../broken-server.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const quick = ['--only', 'health/*', '--no-latency'];

const servers: http.Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: http.Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Two mistakes in /health, of which one can be fixed. */
function brokenServer(): { readonly server: http.Server; readonly fix: () => void } {
  let status = 'down';
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/health') response.end(JSON.stringify({ status, uptime: 5, timestamp: 'today' }));
    else response.writeHead(404).end('{}');
  });
  return {
    server,
    fix: () => {
      status = 'ok';
    },
  };
}

describe('the amount of output', () => {
  it('is a line for each cause, everything with --verbose, and the verdict with --quiet', async () => {
    const cwd = emptyFolder();
    const url = await listen(brokenServer().server);
    const brief = await runCommand(['check', url, ...quick], { cwd });
    expect(brief.stdout).toMatch(/^✗ health\/operational {2,}status is invalid: "down"/m);
    expect(brief.stdout).toContain('probity show REPORT --verbose');
    expect(brief.stdout).not.toContain('FAILED  ');
    const quiet = await runCommand(['check', url, ...quick, '--quiet'], { cwd });
    expect(quiet.stdout).toMatch(/^FAIL {2}The contract is broken in \d+ places?\.\n.*\n {2}report: .*\n$/);
    const verbose = await runCommand(['check', url, ...quick, '--verbose'], { cwd });
    expect(verbose.stdout).toContain('FAILED  health/operational  MUST, section 2.4');
    expect(await runCommand(['check', url, '--quiet', '--verbose'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--verbose and --quiet contradict each other'),
    });

    const [report = ''] = readdirSync(path.join(cwd, 'reports')).toSorted();
    const file = path.join('reports', report);
    const shown = await runCommand(['show', file], { cwd });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('✗ health/operational');
    const one = await runCommand(['show', file, 'health/operational', 'health/status-2*'], { cwd });
    expect(one.stdout).toMatch(/^FAILED {2}health\/operational {2}MUST/m);
    expect(one.stdout).toContain('PASSED  health/status-200  MUST');
    expect(one.stdout).not.toContain('health/timestamp');
    expect(await runCommand(['show', file, 'health/operationel'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "health/operational"?'),
    });
  });
});

describe('--last-failed', () => {
  it('decides only what failed before, and everything again when nothing did', async () => {
    const cwd = emptyFolder();
    const { server, fix } = brokenServer();
    const url = await listen(server);
    const run = (...args: readonly string[]) => runCommand(['check', url, '--no-latency', ...args], { cwd });
    const early = await run('--last-failed');
    expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining(`no report of ${url}`) });
    await run('--only', 'health/operational,health/status-200');
    fix();
    const again = await run('--last-failed');
    expect(again.stderr).toContain('checking what failed in reports/');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed, 0 failed') });
    const everything = await run('--last-failed');
    expect(everything.stderr).toContain('so everything is checked');
    expect(everything.stdout).toContain('undecided');
    expect(await run('--last-failed', '--only', 'health/*')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--last-failed and --only both select requirements'),
    });
  });
});

describe('--last-failed of a requirement that cannot be decided again', () => {
  it('names the suite that is missing', async () => {
    const cwd = emptyFolder();
    const server = await startBrokenServer();
    onTestFinished(server.close);
    writeFileSync(
      path.join(cwd, 'mine.suite.yaml'),
      'suite: v1\nid: mine\ntitle: Mine\nsteps:\n  - id: one\n    request: { get: /health }\n    expect:\n      status: { is: 204, id: adds, level: MUST }\n',
    );
    const suite = ['--suite', 'mine.suite.yaml'];
    const run = (...args: readonly string[]) =>
      runCommand(['check', server.url, '--no-latency', ...args], { cwd });
    await run('--only', 'mine/*', ...suite);
    const { code, stderr } = await run('--last-failed');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /--last-failed: mine\/adds did not pass in reports\/.*\.json, and its suite "mine" is not part of this check\./,
    );
    expect(stderr).not.toContain('--only');
    expect((await run('--last-failed', ...suite)).stdout).toContain('0 passed, 1 failed');
  });

  it('is about --last-failed, also where an option is missing', async () => {
    const cwd = emptyFolder();
    const server = await startBrokenServer();
    onTestFinished(server.close);
    const run = (...args: readonly string[]) =>
      runCommand(['check', server.url, '--no-latency', ...args], { cwd });
    await runCommand(['contract', server.url, '--output', 'c.json'], { cwd });
    server.breakSo((place, body) =>
      place === '/capabilities' ? body.replaceAll('"greet"', '"meet"') : body,
    );
    await run('--only', 'contract/unbroken', '--contract', 'c.json');
    const { code, stderr } = await run('--last-failed');
    expect(code).toBe(2);
    expect(stderr).toMatch(/--last-failed contract\/unbroken: .* is decided only with an option of its own/);
    expect(stderr).not.toContain('--only');
  });
});

describe('a selection', () => {
  it.each([
    ['--last-failed', ['--last-failed']],
    ['--only', ['--only', 'health/timestamp-zone']],
  ])('of warnings alone passes with %s, and the words are about it', async (_, selecting) => {
    const cwd = emptyFolder();
    const server = await startBrokenServer(timestampWithoutZone);
    onTestFinished(server.close);
    const run = (...args: readonly string[]) =>
      runCommand(['check', server.url, '--no-latency', '--read-only', ...args], { cwd });
    expect(await run('--only', 'health/*')).toMatchObject({ code: 0 });
    for (const _again of ['once', 'twice']) {
      const { code, stdout } = await run(...selecting);
      expect(stdout).toContain('PASS with 1 warning  No selected requirement is worse than a warning.\n');
      expect(stdout).toContain('0 passed, 0 failed, 1 warning, 0 not applicable, 0 undecided');
      expect(code).toBe(0);
    }
  });

  it('says that it is one', async () => {
    const cwd = emptyFolder();
    const server = await startBrokenServer(statusIsNumber);
    onTestFinished(server.close);
    const run = (...args: readonly string[]) =>
      runCommand(['check', server.url, '--no-latency', ...args], { cwd });
    expect(await run('--only', 'health/*')).toMatchObject({ code: 1 });
    server.breakSo(null);
    expect((await run('--last-failed')).stdout).toContain(
      'PASS  Every selected requirement that applies is met.\n',
    );
  });
});

describe('a wrong address', () => {
  it('without a server takes three lines', async () => {
    const server = http.createServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const { code, stdout } = await runCommand(['check', url]);
    expect(code).toBe(3);
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`UNREACHABLE  ${url}: the connection was refused`),
      expect.stringMatching(/Check the address: .*base address, .*endpoint/),
      expect.stringContaining('report: '),
    ]);
  });

  it('is explained first if every operation is answered with 404', async () => {
    const url = await listen(http.createServer((_request, response) => response.writeHead(404).end('no')));
    const { code, stdout } = await runCommand(['check', url, '--wire', 'rest', '--no-latency']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^wrong address\? GET \/health and GET \/capabilities are answered with status 404\n +Check the base address/m,
    );
  });

  it('names --mcp if the server speaks JSON-RPC', async () => {
    const error = { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no' } };
    const url = await listen(
      http.createServer((_request, response) =>
        response.writeHead(405, { 'content-type': 'application/json' }).end(JSON.stringify(error)),
      ),
    );
    const { stdout } = await runCommand(['check', url, '--wire', 'rest', '--no-latency']);
    expect(stdout).toMatch(/Model\s+Context\s+Protocol:\s+check\s+it\s+with\s+--mcp\s+URL/);
  });
});
