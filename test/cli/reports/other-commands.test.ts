import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/check/plan-requests.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { type RunningServer, startReferenceServer } from '../../../src/reference/server.ts';
import { deadAddress } from '../../free-port.ts';
import { unless } from '../../set-up/skips.ts';
import { COMMAND, emptyFolder, runCommand } from '../run-command.ts';

let reference: RunningServer;

beforeAll(async () => {
  reference = await startReferenceServer({ form: 'A' });
});
afterAll(() => reference.close());

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('probity judge', () => {
  it('gives identical results and findings for a saved report', async () => {
    const broken = http.createServer((request, response) => {
      response.writeHead(request.url === '/execute' ? 500 : 200, { 'content-type': 'text/plain' });
      const functions = [{ name: 'f', description: 'F', inputs: ['a'], outputs: [1] }, { name: 'f' }];
      response.end(
        JSON.stringify(request.url === '/capabilities' ? { functions } : { status: 'ok', uptime: 1 }),
      );
    });
    await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
    const brokenUrl = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    for (const url of [reference.url, brokenUrl]) {
      const cwd = emptyFolder();
      const checked = await runCommand(['check', url, '--json', '--samples', '8'], { cwd });
      const [name = ''] = readdirSync(path.join(cwd, 'reports'));
      const judged = await runCommand(['judge', path.join('reports', name), '--json'], { cwd });
      expect(judged.code).toBe(checked.code);
      expect(judged.stdout).toBe(checked.stdout);
    }
    broken.close();
  });

  it('reports a file that is not a report', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'a.json'), '{"schema":1}');
    writeFileSync(path.join(cwd, 'b.json'), '{');
    expect((await runCommand(['judge', 'a.json'], { cwd })).stderr).toMatch(/a\.json is not a test result/);
    expect((await runCommand(['judge', 'b.json'], { cwd })).stderr).toMatch(/b\.json is not JSON/);
    const missing = await runCommand(['judge', 'c.json'], { cwd });
    expect(missing).toMatchObject({ code: 2, stderr: 'Cannot read c.json: the file does not exist.\n' });
  });
});

describe.concurrent('probity plan', () => {
  it('lists every request of a check and sends only the read that it needs', async () => {
    const received: string[] = [];
    const answers: Readonly<Record<string, string>> = {
      '/capabilities': await (await fetch(`${reference.url}/capabilities`)).text(),
    };
    const server = http.createServer((request, response) => {
      received.push(`${request.method} ${request.url}`);
      response.setHeader('content-type', 'application/json');
      response.end(answers[request.url ?? ''] ?? '{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const planned = await runCommand(['plan', url, '--json', '--seed', '3']);
    server.close();
    expect(planned.code).toBe(0);
    expect(received).toEqual(['GET /capabilities']);
    const { requests } = JSON.parse(planned.stdout) as { requests: readonly { key: string }[] };
    const checked = await runCommand(['check', reference.url, '--json', '--seed', '3', '--samples', '6']);
    const sent = (JSON.parse(checked.stdout) as TestResult).exchanges.map(({ request }) => request.key);
    // Which functions are watched is unknown before their answers.
    const dependsOnAnswers = (key: string): boolean => key.includes('%watched');
    const certain = (keys: readonly string[]): readonly string[] =>
      keys.filter((key) => !dependsOnAnswers(key)).toSorted();
    expect(certain(requests.map(({ key }) => key))).toEqual(certain(sent));
  });

  it('lists and counts the calls of each function with generated inputs', async () => {
    const { url, close } = await startReferenceServer({ form: 'B' });
    const given = [url, '--seed', '3', '--no-latency'];
    const [json, text, skipped, checked] = await Promise.all([
      runCommand(['plan', ...given, '--json']),
      runCommand(['plan', ...given]),
      runCommand(['plan', ...given, '--skip', 'inputs/*']),
      runCommand(['check', ...given, '--json']),
    ]).finally(close);
    const { requests, generated } = JSON.parse(json.stdout) as Plan;
    const { exchanges } = JSON.parse(checked.stdout) as TestResult;
    const exploring = (keys: readonly string[]) => keys.filter((key) => key.startsWith('inputs/')).toSorted();
    expect(exploring(requests.map(({ key }) => key))).toEqual(
      exploring(exchanges.map(({ request }) => request.key)),
    );
    expect(generated).toContainEqual({ functionName: 'add', calls: 17 });
    expect(text.stdout).toMatch(/^Calls with generated inputs, up to: [^.]*\badd 17,/m);
    expect(skipped.stdout).not.toContain('Calls with generated inputs');
  });

  it('says which reads a check without timing may leave out', async () => {
    const planned = await runCommand(['plan', reference.url, '--no-latency']);
    const checked = await runCommand(['check', reference.url, '--json', '--no-latency']);
    const keys = (JSON.parse(checked.stdout) as TestResult).exchanges.map(({ request }) => request.key);
    for (const read of ['health', 'capabilities']) {
      expect(planned.stdout).toMatch(new RegExp(`^${read}/read .*\n(  GET /${read}\n){3}\n`, 'm'));
      expect(keys.filter((key) => key.startsWith(`${read}/read#`))).toHaveLength(2);
    }
    expect(planned.stdout).toContain('The last read of /health, and of /capabilities, is left out');
    expect((await runCommand(['plan', reference.url])).stdout).not.toContain('The last read');
  });

  it('marks the steps that may have side effects', async () => {
    const { stdout } = await runCommand(['plan', reference.url]);
    expect(stdout).toMatch(
      /^execute\/call {2}call each function with a valid input {2}may have side effects$/m,
    );
    expect(stdout).toMatch(/^health\/read {2}read \/health again[^\n]* before$/m);
  });
});

describe.concurrent('probity explain', () => {
  it('prints text, section, why and fix of a requirement', async () => {
    const { code, stdout } = await runCommand(['explain', 'errors/unknown-function-status']);
    expect(code).toBe(0);
    expect(stdout).toContain('SHOULD in form A, MUST in form B, section 7 of the specification');
    for (const label of ['what', 'why', 'fix']) expect(stdout).toMatch(new RegExp(`^${label} +\\S`, 'm'));
  });

  it('suggests the nearest id for an unknown one', async () => {
    const { code, stderr } = await runCommand(['explain', 'health/statu']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean "health/status-200"?');
  });

  it('lists an area by its name', async () => {
    for (const name of ['health', 'health/']) {
      const { code, stdout } = await runCommand(['explain', name]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^health\/status-200 {2}MUST$/m);
      expect(stdout).not.toMatch(/^(?!health\/)\S/m);
    }
  });

  it('suggests areas and ids for an unknown word', async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['helth', /Did you mean "health"\?/],
      ['zone', /Did you mean "health\/timestamp-zone"\?/],
      ['qqqqqqqqqqqq', /`probity explain` lists all; the areas are health, capabilities, /],
    ];
    for (const [word, says] of cases) {
      const { code, stderr } = await runCommand(['explain', word]);
      expect({ word, code }).toEqual({ word, code: 2 });
      expect(stderr).toMatch(says);
    }
  });

  it('lists all requirements, and all checks', async () => {
    expect((await runCommand(['explain'])).stdout).toContain('capabilities/stable  SHOULD');
    expect((await runCommand(['explain', '--checks'])).stdout).toContain('json-object\n');
  });
});

describe.concurrent('probity lint', () => {
  it('accepts the product’s suites, even by name', async () => {
    expect(await runCommand(['lint'])).toMatchObject({ code: 0 });
    const own = path.resolve('suites/server/health.suite.yaml');
    expect(await runCommand(['lint', own])).toMatchObject({ code: 0, stdout: 'No mistakes in 1 file.\n' });
  });

  it('reports every mistake of every file at once', async () => {
    const cwd = emptyFolder();
    writeFileSync(
      path.join(cwd, 'a.suite.yaml'),
      'suite: v1\nid: a\ntitle: A\nsteps:\n  - { id: one, reqest: { get: /x } }\n',
    );
    writeFileSync(path.join(cwd, 'b.yaml'), 'config: v1\nform: C\n');
    writeFileSync(path.join(cwd, 'c.yaml'), 'hello\n');
    const { code, stdout } = await runCommand(['lint', 'a.suite.yaml', 'b.yaml', 'c.yaml', 'd.yaml'], {
      cwd,
    });
    expect(code).toBe(2);
    expect(stdout).toContain('a.suite.yaml:5:16: unknown key "reqest" [unknown-key]');
    expect(stdout).toContain('Did you mean "request"?');
    expect(stdout).toContain('[expects-nothing]');
    expect(stdout).toContain('b.yaml:2:7: "C" is not one of auto, A, B [wrong-value]');
    expect(stdout).toContain('[unknown-document]');
    expect(stdout).toContain('[unreadable-file]');
  });
});

describe.concurrent('probity lint without names', () => {
  it('checks the usual files of the folder, and says so', async () => {
    const cwd = emptyFolder();
    const nothing = await runCommand(['lint'], { cwd });
    expect(nothing).toMatchObject({ code: 0 });
    expect(nothing.stdout).toMatch(/^No mistakes in the product’s own suites\. This folder has none of /);
    await runCommand(['init'], { cwd });
    writeFileSync(path.join(cwd, 'probity.baseline.yaml'), 'baseline: v1\naccepted: []\n');
    const { code, stdout } = await runCommand(['lint'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(
      'No mistakes in the product’s own suites, probity.config.yaml, probity.listing.yaml, probity.baseline.yaml.\n',
    );
    expect(stdout).toMatch(
      /^probity\.listing\.yaml is not complete yet: set id, name, description, category, tags, .*endpoint/m,
    );
  });

  it('reports mistakes in them, and in the files that the configuration names', async () => {
    const cwd = emptyFolder();
    writeFileSync(
      path.join(cwd, 'probity.config.yaml'),
      'config: v1\nlisting: ours.yaml\nbaseline: known.yaml\n',
    );
    writeFileSync(path.join(cwd, 'ours.yaml'), 'listing: v1\nname: Ours\ntransport: [smoke]\n');
    const { code, stdout } = await runCommand(['lint'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toContain('ours.yaml:3:13');
    expect(stdout).toContain('known.yaml:1:1: cannot read the file');
    expect(stdout).toContain('ours.yaml is not complete yet: set id, ');
    expect(stdout).toMatch(
      /2 problems in the product’s own suites, probity\.config\.yaml, known\.yaml, ours\.yaml\n$/,
    );
    writeFileSync(path.join(cwd, 'probity.config.yaml'), 'config: v1\nform: C\n');
    expect((await runCommand(['lint'], { cwd })).stdout).toContain(
      'probity.config.yaml:2:7: "C" is not one of',
    );
  });

  it('reports missing fields of a listing that is named', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'probity.listing.yaml'), 'listing: v1\n');
    const { code, stdout } = await runCommand(['lint', 'probity.listing.yaml'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toContain('[missing-key]');
  });
});

describe.concurrent('probity demo and reference', () => {
  it('demo checks a reference server of either form and writes a report', async () => {
    for (const form of ['a', 'B']) {
      const cwd = emptyFolder();
      const untimed = form === 'a' ? ['--no-latency'] : [];
      const { code, stdout } = await runCommand(['demo', '--form', form, ...untimed], { cwd });
      const [page = '', name = '', ...others] = readdirSync(path.join(cwd, 'reports')).sort();
      expect(others).toEqual([]);
      expect(page).toBe(name.replace(/json$/, 'html'));
      const { results } = JSON.parse(readFileSync(path.join(cwd, 'reports', name), 'utf8')) as TestResult;
      const open = results.filter(({ outcome }) => !['passed', 'inapplicable'].includes(outcome));
      // On a busy machine, times may be unreliable, and only they are undecided.
      expect(
        open.filter(({ id, outcome }) => !id.startsWith('performance/') || outcome === 'failed'),
      ).toEqual([]);
      expect({ code, stdout }).toEqual({
        code: open.length === 0 ? 0 : 4,
        stdout: expect.stringContaining(open.length === 0 ? 'PASS' : 'INCOMPLETE'),
      });
      expect(stdout.includes('response times in ms')).toBe(form !== 'a');
    }
  });

  it('demo checks a reference server of the Model Context Protocol', async () => {
    const cwd = emptyFolder();
    const { code, stdout } = await runCommand(['demo', '--wire', 'mcp', '--no-latency'], { cwd });
    expect(stdout).toContain('PASS  9 of 10 tools exercised, nothing failed.');
    expect([code, readdirSync(path.join(cwd, 'reports')).length]).toEqual([0, 2]);
    const { stderr } = await runCommand(['demo', '--wire', 'mcp', '--form', 'A'], { cwd });
    expect(stderr).toContain('--form applies only to --wire rest. Remove it.');
  });

  it('reference serves until it is stopped, and reports a port in use', async () => {
    let taken: Promise<unknown> | undefined;
    const { code, stdout } = await runCommand(['reference', '--port', '0', '--form', 'a'], {
      onOutput: (text, kill) => {
        const url = /probity check (\S+)/.exec(text)?.[1];
        if (url === undefined || taken !== undefined) return;
        taken = (async () => {
          expect((await fetch(`${url}/health`)).status).toBe(200);
          const second = await runCommand(['reference', '--port', new URL(url).port]);
          expect(second).toMatchObject({ code: 2 });
          expect(second.stderr).toContain('is in use');
          kill('SIGTERM');
        })();
      },
    });
    await taken;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  });
});

describe.concurrent('help', () => {
  it('names every command and exit code', async () => {
    const { code, stdout } = await runCommand(['--help']);
    expect(code).toBe(0);
    for (const name of ['check', 'demo', 'reference', 'plan', 'explain', 'lint', 'judge'])
      expect(stdout).toContain(`\n  ${name} `);
    expect(stdout).toContain('70 a fault of probity itself');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await runCommand(['--version'])).stdout).toBe(`${version}\n`);
  });
});

describe.concurrent('a proxy in the environment', () => {
  const env = { http_proxy: 'http://127.0.0.1:9' };
  it.each([['check', '--no-latency'], ['plan'], ['init'], ['bench', '--requests', '1', '--yes-load']])(
    'is reported as unused if %s does not reach the target',
    async (command, ...flags) => {
      const { code, stderr } = await runCommand([command, 'http://nobody.invalid', ...flags], { env });
      expect(code).toBe(3);
      expect(stderr).toContain('http_proxy is set, but the requests went directly to the target');
    },
  );
  it('is not mentioned for a target on this machine', async () => {
    const { code, stderr } = await runCommand(['plan', await deadAddress()], { env });
    expect(code).toBe(3);
    expect(stderr).not.toContain('proxy');
  });
});

describe('output that cannot be written', () => {
  const missing = existsSync('/dev/full') ? null : 'no /dev/full, which Linux has';
  it('does not end with the code of a broken contract', unless(missing), () => {
    const line = `"${process.execPath}" "${COMMAND}" explain > /dev/full`;
    const { status, stderr } = spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8' });
    expect(stderr).toBe('The output cannot be written: ENOSPC. Check whether the disk is full.\n');
    expect(status).toBe(2);
  });
});
