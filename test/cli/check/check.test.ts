import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMeasurement } from '../../../src/model/measurement.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { type RunningServer, startReferenceServer } from '../../../src/reference/server.ts';
import { deadAddress } from '../../free-port.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const schema = JSON.parse(readFileSync('schemas/test-result.schema.json', 'utf8')) as object;
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);

const CONFIG = `config: v1
samples:
  divide:
    - input: { dividend: 10, divisor: 4 }
    - { input: { dividend: 1, divisor: 0 }, fails: true }
`;

let reference: RunningServer;
const closers: (() => void)[] = [];

beforeAll(async () => {
  reference = await startReferenceServer({ form: 'B' });
});

afterAll(async () => {
  await reference.close();
  for (const close of closers) close();
});

async function listen(server: net.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function reportIn(folder: string): TestResult {
  const names = readdirSync(path.join(folder, 'reports'));
  expect(names).toHaveLength(1);
  return JSON.parse(readFileSync(path.join(folder, 'reports', names[0] ?? ''), 'utf8')) as TestResult;
}

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('probity check', () => {
  it('passes the reference server, prints a report without colour and writes it', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'probity.config.yaml'), CONFIG);
    const args = ['check', reference.url, '--seed', '7', '--no-latency'];
    const { code, stdout, stderr } = await runCommand(args, { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('configuration: probity.config.yaml');
    expect(stdout).toContain('PASS  6 of 6 functions exercised, nothing failed.');
    expect(stdout).not.toContain('\u001B');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const report = reportIn(cwd);
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(report.seed).toBe(7);
    expect(report.summary).toMatchObject({ failed: 0, warnings: 0, undecided: 0 });
  });

  it('times calls as flags and configuration set, and stores the measurements', async () => {
    const cwd = emptyFolder();
    writeFileSync(
      path.join(cwd, 'probity.config.yaml'),
      `${CONFIG}budgets:
  health: { p50: 9s }
  execute: { p95: 20x }
  "execute:add": { max: 8s }
latency: { samples: 50 }
mutating: { once: [wa*] }
listing: { responseTime: 9000 }
`,
    );
    const args = [
      '--only',
      'performance/*',
      '--samples',
      '8',
      '--budget',
      'health.p50=8s',
      '--max-rate',
      '90',
    ];
    const { code, stdout } = await runCommand(['check', reference.url, ...args], { cwd });
    const report = reportIn(cwd);
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(report.settings).toMatchObject({
      claimedResponseTimeMs: 9000,
      mutating: { default: 'once', functions: { allow: [], once: ['wa*'], never: [] } },
      latency: {
        off: false,
        samples: 8,
        rateGiven: true,
        budgets: [
          { operation: 'health', function: null, figure: 'p50', limit: { ms: 8000 } },
          { operation: 'execute', function: null, figure: 'p95', limit: { timesHealth: 20 } },
          { operation: 'execute', function: 'add', figure: 'max', limit: { ms: 8000 } },
        ],
      },
    });
    const measured = report.responseTimes.filter(isMeasurement);
    expect(measured.map((one) => one.function ?? one.operation)).toEqual([
      ...['health', 'capabilities', 'current-time', 'add', 'divide', 'greet', 'price-order'],
    ]);
    for (const { load } of measured) expect(load).toMatchObject({ planned: 8, model: { kind: 'open' } });
    // Eight calls are too few for the requested p95.
    expect(code).toBe(4);
    // On a busy machine, the overload of the client is reported first.
    expect(stdout).toMatch(/It needs 72 samples: use --samples 72|cannot be relied on/);
    // The slowest comes first, and which one it is depends on the machine.
    expect(stdout).toMatch(/^ {2}response times in ms, p50 \/ p95: [a-z-]+ \d/m);
    expect(stdout).toMatch(/and\s+\d\s+faster/);
  });

  it('prints only the test result with --json', async () => {
    const { code, stdout } = await runCommand(['check', reference.url, '--json', '--only', 'health/*']);
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as TestResult;
    expect(validate(result), JSON.stringify(validate.errors)).toBe(true);
    expect(result.results.map(({ id }) => id.split('/')[0])).toEqual(Array(15).fill('health'));
  });

  it('uses colour only if requested, and NO_COLOR takes precedence', async () => {
    const args = ['check', reference.url, '--only', 'health/status-200'];
    expect((await runCommand(args, { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001B[32m');
    expect((await runCommand(args, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout).not.toContain(
      '\u001B',
    );
  });

  it('fails a server that breaks its contract, and shows how to reproduce and fix it', async () => {
    const url = await listen(
      http.createServer((request, response) => {
        response.setHeader('content-type', 'application/json');
        if (request.url === '/health') {
          response.end(JSON.stringify({ status: 'down', uptime: 5, timestamp: new Date().toISOString() }));
        } else response.writeHead(404).end('{}');
      }),
    );
    const { code, stdout } = await runCommand(['check', url, '--only', 'health/operational']);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ health/operational  status is invalid: "down"');
    expect(stdout).toMatch(/expected {2}"ok" or "healthy"/);
    expect(stdout).toMatch(/received {2}"down" \(string\)/);
    expect(stdout).toContain(`curl      curl -sS -i`);
    expect(stdout).toMatch(/why {7}\S/);
    expect(stdout).toMatch(/fix {7}\S/);
  });

  it('calls an undecided run incomplete', async () => {
    const url = await listen(http.createServer((_request, response) => response.writeHead(401).end()));
    const { code, stdout } = await runCommand(['check', url]);
    expect(code).toBe(4);
    expect(stdout).toContain('INCOMPLETE');
    expect(stdout).toContain('--bearer-env');
  });

  it('reports an address without a server, with a report', async () => {
    const cwd = emptyFolder();
    const { code, stdout } = await runCommand(['check', await deadAddress()], { cwd });
    expect(code).toBe(3);
    expect(stdout).toContain('nothing listens there');
    expect(stdout).toContain('UNREACHABLE');
    const report = reportIn(cwd);
    expect(report.reachable).toBe(false);
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  });

  it('ends on a target that never answers, with a report', async () => {
    const cwd = emptyFolder();
    const url = await listen(net.createServer((socket) => socket.on('error', () => undefined)));
    const { code, stdout } = await runCommand(['check', url, '--timeout', '3'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toContain('no answer within 3 s');
    expect(reportIn(cwd).reachable).toBe(false);
  });

  it('ends at its deadline, and does not blame the server for it', async () => {
    const cwd = emptyFolder();
    const url = await listen(net.createServer((socket) => socket.on('error', () => undefined)));
    await runCommand(['check', url, '--deadline', '0.3', '--timeout', '3600'], { cwd });
    const report = reportIn(cwd);
    expect(report.summary.failed).toBe(0);
    expect(report.findings).not.toEqual([]);
    expect(
      report.findings.every(({ fault, outcome }) => fault === 'harness' && outcome === 'undecided'),
    ).toBe(true);
  });

  it('writes a partial report when it is interrupted', async () => {
    const cwd = emptyFolder();
    const url = await listen(net.createServer((socket) => socket.on('error', () => undefined)));
    let sent = false;
    const { code, stderr } = await runCommand(['check', url, '--timeout', '20'], {
      cwd,
      onOutput: (text, kill) => {
        if (!sent && text.includes('checking')) {
          sent = true;
          kill('SIGINT');
        }
      },
    });
    expect(stderr).toContain('interrupted');
    // The wait was too short to report that the target does not answer.
    expect(code).toBe(4);
    // On a slow machine, the judge is stopped too.
    const texts = reportIn(cwd).findings.map(({ message, received }) => `${message}, ${received}`);
    expect(texts).toContainEqual(expect.stringContaining('interrupted'));
  });

  it('names the wrong argument and the mistake', async () => {
    const cases: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [['check'], /No target\./],
      [['check', 'localhost:3000'], /Did you mean http:\/\/localhost:3000\?/],
      [['check', '3001'], /Did you mean http:\/\/localhost:3001\?/],
      [['check', ':3001'], /Did you mean http:\/\/localhost:3001\?/],
      [['check', ':3001/mcp'], /Did you mean http:\/\/localhost:3001\/mcp\?/],
      [['check', '99999'], /is not a URL[^?]*Give a URL such as/],
      [['check', ':a:b'], /is not a URL[^?]*Give a URL such as/],
      [['check', 'ftp://example.com'], /not an http or https URL/],
      [['check', 'http://127.0.0.1:1/health'], /Give the base address: http:\/\/127\.0\.0\.1:1/],
      [['check', 'http://user:pw@127.0.0.1:1'], /user name or password/],
      [['check', 'http://127.0.0.1:1?key=1', '--wire', 'rest'], /a query/],
      [['check', 'http://127.0.0.1:1', '--only', 'helth/status-200'], /Did you mean "health\/status-200"\?/],
      [['check', 'http://127.0.0.1:1', '--skip', 'nothing/*'], /unknown requirement id/],
      [['check', 'http://127.0.0.1:1', '--header', 'nonsense'], /Write it as "Name: value"/],
      [['check', 'http://127.0.0.1:1', '--bearer-env', 'NOT_SET_ANYWHERE'], /NOT_SET_ANYWHERE is not set/],
      [
        ['check', 'http://127.0.0.1:1', '--deadline', 'soon'],
        /Give a time from 1ms to 1440m, such as 500ms, 30/,
      ],
      [['check', 'http://127.0.0.1:1', '--deadline', '0.5ms'], /Give a time from 1ms to 1440m/],
      [['check', 'http://127.0.0.1:1', '--samples', '5'], /Give a whole number from 6 to 10000/],
      [
        ['check', 'http://127.0.0.1:1', '--budget', 'health.p95=300'],
        /--budget: "300" is not a limit.*300ms/,
      ],
      [
        ['check', 'http://127.0.0.1:1', '--budget', 'helth.p95=1s'],
        /"helth" is not an operation with a budget/,
      ],
      [
        ['check', 'http://127.0.0.1:1', '--no-latency', '--budget', 'health.p50=1s'],
        /--no-latency turns timing off/,
      ],
      [['check', 'http://127.0.0.1:1', '--read-only', '--budget', 'execute.p50=1s'], /calls no function/],
      [['check', 'http://127.0.0.1:1', '--form', 'C'], /Allowed choices are auto, A, B/],
      [['check', 'http://127.0.0.1:1', '--config', 'missing.yaml'], /the file does not exist/],
      [['check', 'http://127.0.0.1:1', '--suite', 'missing.yaml'], /the file does not exist/],
      [['chekc', 'http://127.0.0.1:1'], /Did you mean check\?/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr, stdout } = await runCommand(args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr).toMatch(message);
    }
  });

  it('warns that the report cannot be written, and gives the verdict', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'reports'), 'a file, not a folder');
    const { code, stdout, stderr } = await runCommand(
      ['check', reference.url, '--only', 'health/status-200'],
      {
        cwd,
      },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^PASS/m);
    expect(stdout).not.toContain('report: ');
    expect(stderr).toContain('Choose another folder with --reports');
    const args = [
      'check',
      reference.url,
      '--only',
      'health/status-200',
      '--reports',
      '/proc/nowhere/reports',
    ];
    expect((await runCommand(args)).stderr).toContain('Choose another folder with --reports');
  });

  it('sends only GET requests with --read-only', async () => {
    const methods = new Set<string>();
    const url = await listen(
      http.createServer((request, response) => {
        methods.add(request.method ?? '');
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"functions":[]}');
      }),
    );
    await runCommand(['check', url, '--read-only']);
    expect([...methods]).toEqual(['GET']);
  });

  it('runs a suite of the user beside the product’s suites', async () => {
    const cwd = emptyFolder();
    mkdirSync(path.join(cwd, 'mine'));
    writeFileSync(
      path.join(cwd, 'mine', 'greeting.suite.yaml'),
      [
        'suite: v1',
        'id: greeting',
        'title: Greetings are polite',
        'steps:',
        '  - id: greet',
        '    needs: [capabilities/read]',
        '    request: { execute: greet, arguments: { name: Ada } }',
        '    expect:',
        '      status: { is: 200, id: served, level: MUST }',
        '      body:',
        '        - { at: $.result.greeting, is: { type: string, pattern: Ada }, id: names-the-guest, why: Guests mind., fix: Name them. }',
        '        - { at: $.result.insult, absent: true, id: no-insult }',
        '',
      ].join('\n'),
    );
    const args = [
      'check',
      reference.url,
      '--suite',
      'mine/greeting.suite.yaml',
      '--only',
      'greeting/*',
      '--json',
    ];
    const { code, stdout } = await runCommand(args, { cwd });
    expect(code).toBe(0);
    const common = {
      outcome: 'passed',
      spec: '-',
      decidedOn: { functions: 1, of: 1 },
      durationMs: expect.any(Number) as number,
      decidedBy: { exchange: 'greeting/greet@B#0', count: 1 },
    };
    expect((JSON.parse(stdout) as TestResult).results).toEqual([
      { ...common, id: 'greeting/served', level: 'MUST' },
      { ...common, id: 'greeting/names-the-guest', level: 'SHOULD' },
      { ...common, id: 'greeting/no-insult', level: 'SHOULD' },
    ]);
  });

  it('writes no values of --header and --bearer-env', async () => {
    const cwd = emptyFolder();
    const seen: string[] = [];
    const url = await listen(
      http.createServer((request, response) => {
        seen.push(`${request.headers.authorization} ${request.headers['x-api-key']}`);
        response.writeHead(200, {
          'content-type': 'application/json',
          'x-echo': request.headers.authorization ?? '',
        });
        response.end(JSON.stringify({ echo: request.headers, status: 'ok' }));
      }),
    );
    const args = ['check', url, '--bearer-env', 'KEY', '--header', 'X-Api-Key: canary-header-5678'];
    const { stdout, stderr } = await runCommand(args, { cwd, env: { KEY: 'canary-bearer-1234' } });
    expect(seen[0]).toBe('Bearer canary-bearer-1234 canary-header-5678');
    expect(stdout).toContain('$PROBITY_TOKEN');
    expect(stdout + stderr + JSON.stringify(reportIn(cwd))).not.toMatch(/canary/);
  });
});
