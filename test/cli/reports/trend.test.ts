import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, runCommand } from '../run-command.ts';

const HOSTILE = '<script>alert(1)</script>\u001B[2J\u202E';
const cwd = emptyFolder();
let status = 'ok';
let url = '';

const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.url === '/health')
    response.end(JSON.stringify({ status, uptime: 5, timestamp: new Date().toISOString() }));
  else if (request.url === '/capabilities')
    response.end(
      JSON.stringify({
        mcpVersion: '1.0',
        server: { name: HOSTILE, version: '1' },
        functions: [],
      }),
    );
  else response.writeHead(404).end('{}');
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const next of ['ok', 'down', 'ok', 'down']) {
    status = next;
    await runCommand(['check', url, '--only', 'health/*,capabilities/*', '--no-latency'], { cwd });
  }
  const reports = path.join(cwd, 'reports');
  writeFileSync(path.join(reports, 'cut.json'), '{"schema": "');
  writeFileSync(path.join(reports, 'other.json'), JSON.stringify({ [HOSTILE]: 1 }));
  writeFileSync(path.join(reports, 'x.ctrf.json'), '{}');
  mkdirSync(path.join(reports, 'folder.json'));
});
afterAll(() => void server.close());

const trend = (...args: readonly string[]) => runCommand(['trend', ...args], { cwd });

describe('probity trend', () => {
  it('prints the runs of a server with their changes, and names what it skips', async () => {
    const { code, stdout, stderr } = await trend();
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${url}  <script>.*\\\\u\\{202E\\} 1, 4 runs\n`));
    expect(stdout.match(/^ {4}health\/operational: passed → failed$/gm)).toHaveLength(2);
    expect(stdout).toContain('health/operational: failed → passed');
    expect(stdout).toContain('health/operational: decided differently in 3 of 3 pairs of runs');
    expect(stderr).toMatch(/^skipped: reports\/cut\.json is not JSON/m);
    expect(stderr).toMatch(/^skipped: reports\/other\.json is not a test result/m);
    expect(stderr.match(/^skipped/gm)).toHaveLength(2);
    expect(stdout + stderr).not.toMatch(/\u001B|\u202E/);
  });

  it('prints JSON, and writes a page that contains no active text', async () => {
    const { stdout } = await trend('--json');
    const { targets, skipped } = JSON.parse(stdout);
    expect(targets).toHaveLength(1);
    expect(targets[0]).toMatchObject({ target: { url }, runs: { length: 4 } });
    expect(targets[0].flaky).toEqual([{ id: 'health/operational', changed: 3, pairs: 3 }]);
    expect(skipped).toHaveLength(2);
    const written = await trend('--format', 'html', '--output', 'new/trend.html');
    expect(written).toMatchObject({ code: 0, stdout: '' });
    const page = readFileSync(path.join(cwd, 'new/trend.html'), 'utf8');
    expect(page).toContain(`${url}</h2>`);
    expect(page).toContain('decided differently in 3 of 3 pairs of runs');
    expect(page).not.toContain('<script>alert');
    expect(page).not.toMatch(/\u001B|\u202E/);
    expect(readdirSync(path.join(cwd, 'new'))).toEqual(['trend.html']);
  });

  it('selects a target, and names the known ones', async () => {
    expect((await trend('--target', `${url}/`)).stdout).toContain('4 runs');
    expect(await trend('--target', 'http://127.0.0.1:1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`There are reports of ${url}.`),
    });
    expect((await trend('--json', '--format', 'html')).code).toBe(2);
  });

  it('says what to do in an empty or a missing folder', async () => {
    const empty = emptyFolder();
    expect(await trend(empty)).toMatchObject({
      code: 2,
      stderr: `${empty} has no report of a check. Run probity check URL, or name the folder of its --reports.\n`,
    });
    expect(await trend('nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The folder nowhere does not exist. Run probity check URL'),
    });
  });
});
