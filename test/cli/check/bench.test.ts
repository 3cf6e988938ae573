import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeHistogram } from '../../../src/latency/encoded-histogram.ts';
import { isMeasurement } from '../../../src/model/measurement.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { type RunningServer, startReferenceServer } from '../../../src/reference/server.ts';
import { compareWithBaseline } from '../../../src/report/compare/compare-reports.ts';
import { readReport } from '../../../src/report/read-report.ts';
import { histogramOf } from '../../latency/histogram-of.ts';
import { emptyFolder, type Finished, type RunOptions, runCommand } from '../run-command.ts';

let forms: Readonly<Record<'A' | 'B', RunningServer>>;
const closing: http.Server[] = [];

beforeAll(async () => {
  forms = { A: await startReferenceServer({ form: 'A' }), B: await startReferenceServer({ form: 'B' }) };
});
afterAll(async () => {
  await Promise.all([forms.A.close(), forms.B.close()]);
  for (const server of closing) server.close().closeAllConnections();
});

async function serve(answer: http.RequestListener): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  closing.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const QUICK = ['--warm-up', '0.3', '--duration', '0.5', '--rate', '200'];

function bench(args: readonly string[], options?: RunOptions): Promise<Finished> {
  return runCommand(['bench', ...args], options);
}

/** On a busy machine the figures may be unreliable, which is not an error of the command. */
const MEASURED = [0, 4];

async function resultOf(args: readonly string[], cwd = emptyFolder()): Promise<TestResult> {
  const { code, stdout, stderr } = await bench([...args, '--json'], { cwd });
  expect(MEASURED, `${code}: ${stderr}`).toContain(code);
  const [file = ''] = readdirSync(path.join(cwd, 'reports'));
  const saved = path.join(cwd, 'reports', file);
  expect(readFileSync(saved, 'utf8')).toBe(stdout);
  return readReport(saved);
}

// They mostly wait, and none of them judges speed.
describe.concurrent('probity bench', () => {
  test('prints the figures with their intervals, the picture, and what the client adds', async () => {
    const { code, stdout } = await bench([forms.A.url, ...QUICK]);
    expect(MEASURED).toContain(code);
    expect(stdout).toMatch(
      /client: (p50 [\d.]+ ms.* against a built-in server|its own overhead could not be measured)/,
    );
    expect(stdout).toMatch(/a call over a new connection, medians of 10: connect/);
    expect(stdout).toMatch(/load: open loop, 200 requests a second, even arrivals, up to 50\s+connections/);
    expect(stdout).toMatch(/^health: 100 calls, no errors, /m);
    expect(stdout).toMatch(/^ {2}p95 +\d+\.\d+ ms {2}\d+\.\d+ ms to \d+\.\d+ ms$/m);
    expect(stdout).toMatch(/too few samples for p99, p99\.9/);
    expect(stdout).toMatch(/≤ .*100\.00%/);
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('report'))).toEqual([]);
  });

  test('always names a closed loop with its figures', async () => {
    const { stdout } = await bench([
      forms.A.url,
      '--connections',
      '3',
      '--requests',
      '200',
      '--warm-up',
      '0.3',
    ]);
    expect(stdout).toMatch(/load: closed loop, 3 connections/);
    expect(stdout).toMatch(/^health: closed loop, 200 calls/m);
    expect(stdout).not.toContain('lateness');
  });

  test.each(['A', 'B'] as const)('calls a function in form %s, and a mix by its weights', async (form) => {
    const mix = ['--operation', 'execute:add', '--operation', 'health=3'];
    const result = await resultOf([forms[form].url, ...mix, ...QUICK, '--duration', '1']);
    const [add, health] = result.responseTimes.filter(isMeasurement);
    expect(add).toMatchObject({ operation: 'execute', function: 'add', errors: 0 });
    expect(health).toMatchObject({ operation: 'health', errors: 0 });
    expect((add?.count ?? 0) + (health?.count ?? 0)).toBe(200);
    expect(add?.count).toBeGreaterThan(20);
    expect(add?.count).toBeLessThan(90);
    expect(result.exchanges.map(({ request }) => request.key)).toEqual([
      expect.stringContaining('execute[add]'),
      'bench/health',
    ]);
  });

  test('gives a result that decides nothing and does not pass', async () => {
    const result = await resultOf([forms.A.url, ...QUICK, '--arrivals', 'poisson', '--transport', 'undici']);
    expect(result).toMatchObject({
      verdict: 'incomplete',
      results: [],
      bench: { phases: { lookupMs: null } },
    });
    expect(result.responseTimes).toMatchObject([
      {
        load: { model: { kind: 'open', arrivals: 'poisson' }, transport: 'undici' },
        histogram: expect.any(String),
      },
    ]);
  });

  test('counts errors by kind', async () => {
    let count = 0;
    const url = await serve((_request, response) => {
      count += 1;
      response.statusCode = count > 20 && count % 2 === 0 ? 503 : 200;
      response.end('{}');
    });
    const { stdout } = await bench([url, ...QUICK, '--requests', '60']);
    expect(stdout).toMatch(/health: 60 calls, \d+ errors?/);
    expect(stdout).toMatch(/\d+ × HTTP_503: status 503/);
  });

  test('searches for the highest rate within the limits', async () => {
    let free = 0;
    // One call after another, 1 ms each: up to 1000 a second.
    const url = await serve((_request, response) => {
      free = Math.max(free, performance.now()) + 1;
      setTimeout(() => response.end('{}'), free - performance.now());
    });
    const ramp = ['--ramp', '500..20000', '--max-p99', '100ms', '--duration', '0.4', '--warm-up', '0.2'];
    const { bench: figures } = await resultOf([url, ...ramp]);
    expect(figures?.ramp?.brokePerSecond ?? figures?.ramp?.stoppedBy).not.toBeNull();
    expect(figures?.ramp?.steps.at(-1)?.ratePerSecond).toBeLessThan(2000);
    expect(figures?.ramp?.heldPerSecond ?? 0).toBeLessThan(8000);
    expect(figures?.ramp?.steps.at(0)).toMatchObject({ ratePerSecond: 500 });
  });

  test('a ramp keeps the given duration, says what was too short for a p99, and reports each step', async () => {
    const url = await serve((_request, response) => void response.end('{}'));
    const ramp = ['--ramp', '20..30', '--max-p99', '60', '--duration', '0.5', '--warm-up', '0'];
    const { stdout, stderr } = await bench([url, ...ramp]);
    expect(stdout).toMatch(/^ {8}20 {7}[ \d]\d {7}0 .* – {2}/m);
    expect(stdout).toMatch(/a p99 367; without a p99,\s+the\s+slowest call is compared with its limit/);
    expect(stderr).toMatch(/^20 a second /m);
  });

  test('compares with a saved result, and reports what it cannot compare', async () => {
    const cwd = emptyFolder();
    const result = await resultOf([forms.A.url, ...QUICK], cwd);
    const slower = result.responseTimes.map((times) => ({
      ...times,
      unreliable: [],
      histogram: encodeHistogram(histogramOf(Array.from({ length: 100 }, () => 1_000_000))),
    }));
    const file = path.join(cwd, 'before.json');
    writeFileSync(file, JSON.stringify({ ...result, responseTimes: slower }));
    const compared = await bench([forms.A.url, ...QUICK, '--baseline', 'before.json', '--json'], { cwd });
    const { baseline } = (JSON.parse(compared.stdout) as TestResult).bench ?? {};
    const reported = baseline?.notes[0] ?? baseline?.rows[0]?.outcome;
    expect(reported).toMatch(/better|cannot be relied on/);
    const measured = result.responseTimes
      .filter(isMeasurement)
      .map((times) => ({ ...times, unreliable: [] }));
    const withRows = compareWithBaseline({ ...result, responseTimes: slower }, measured);
    expect(withRows.rows.length).toBeGreaterThan(0);
    writeFileSync(file, JSON.stringify({ ...result, bench: { ...result.bench, baseline: withRows } }));
    expect((await readReport(file)).bench?.baseline).toEqual(withRows);
    writeFileSync(file, JSON.stringify({ ...result, responseTimes: slower }));
    const closed = await bench(
      [forms.A.url, '--connections', '1', '--requests', '50', '--baseline', 'before.json'],
      { cwd },
    );
    expect(closed.stdout).toMatch(/closed loop and the other in an|cannot be relied on/);
    expect(closed.code).toBe(4);
  });

  test('ends at ctrl-C with the figures so far', async () => {
    let interrupt: ((signal: NodeJS.Signals) => void) | undefined;
    let loadCalls = 0;
    const url = await serve((request, response) => {
      response.end('{}');
      // Requests before the load close their connections.
      if (request.headers.connection === 'close') return;
      loadCalls += 1;
      if (loadCalls < 20) return;
      interrupt?.('SIGINT');
      interrupt = undefined;
    });
    const { code, stdout } = await bench([url, '--warm-up', '0', '--rate', '100', '--duration', '60'], {
      onOutput: (stderr, kill) => {
        if (loadCalls === 0 && stderr.includes('under load')) interrupt = kill;
      },
    });
    expect(code).toBe(4);
    expect(stdout).toMatch(/ended early: it\s+was\s+interrupted|ended\s+early: it was interrupted/);
    expect(stdout).toMatch(/^health: \d+ calls/m);
  });

  test('keeps no secret', async () => {
    const url = await serve((request, response) => {
      response.statusCode = request.headers['x-key'] === 'c4n4ry-5ecret' ? 200 : 401;
      response.end(JSON.stringify({ key: request.headers['x-key'] }));
    });
    const cwd = emptyFolder();
    const { code, stdout, stderr } = await bench(
      [url, ...QUICK, '--header', 'X-Key: c4n4ry-5ecret', '--json'],
      { cwd },
    );
    expect(MEASURED).toContain(code);
    const [file = ''] = readdirSync(path.join(cwd, 'reports'));
    const written = stdout + stderr + readFileSync(path.join(cwd, 'reports', file), 'utf8');
    expect(written).not.toContain('c4n4ry-5ecret');
    expect(written).toContain('$PROBITY_HEADER_X_KEY');
  });

  test.each([
    ['a target that is not this machine', ['http://192.0.2.1'], 2, /not this machine.*--yes-load/],
    [
      'a rate and connections',
      ['http://127.0.0.1:1', '--rate', '5', '--connections', '2'],
      2,
      /Remove one of the two/,
    ],
    [
      'an invalid call',
      ['http://127.0.0.1:1', '--operation', 'helth'],
      2,
      /Give health, capabilities or execute:NAME/,
    ],
    ['a missing baseline', ['http://127.0.0.1:1', '--baseline', 'none.json'], 2, /the file does not exist/],
    ['an unreachable target', ['http://127.0.0.1:1'], 3, /GET \/health: the connection was refused/],
  ])('says what is wrong with %s', async (_what, args, code, words) => {
    const finished = await bench(args);
    expect(finished.stderr).toMatch(words);
    expect(finished.code).toBe(code);
    expect(finished.stdout).toBe('');
  });

  test('says what is wrong with a function that cannot be timed', async () => {
    const unknown = await bench([forms.B.url, '--operation', 'execute:ad']);
    expect(unknown.stderr).toContain('The target lists no function "ad". Did you mean "add"?');
    expect(unknown.code).toBe(2);
    const refused = await serve((request, response) => {
      response.statusCode = request.url === '/health' ? 401 : 200;
      response.end('{}');
    });
    expect((await bench([refused])).stderr).toMatch(/GET \/health was answered with 401.*--bearer-env/);
  });
});

// Not concurrent, because other work would affect the compared runs.
describe('probity bench --against', () => {
  test('finds which of two servers is slower', async () => {
    const delayed = (ms: number) =>
      serve((_request, response) => void setTimeout(() => response.end('{}'), ms));
    const [fast, slow] = [await delayed(3), await delayed(60)];
    const runs = ['--rate', '100', '--duration', '0.3', '--warm-up', '0.2'];
    const { code, stdout } = await bench([fast, '--against', slow, ...runs]);
    expect(stdout).toMatch(/6\s+alternating\s+runs\s+of\s+each/);
    if (code !== 4) expect([code, /the other is: (\w+)/.exec(stdout)?.[1]]).toEqual([1, 'worse']);
    // A busy machine leaves it undecided, with the reason.
    else expect(stdout).toMatch(/unreliable|some\s+runs:|ended\s+early/);
  });
});
