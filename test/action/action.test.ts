import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { type RunningServer, startReferenceServer } from '../../src/reference/server.ts';
import { startHttpSubject } from '../mcp/http-subject.ts';
import { SUBJECT } from '../mcp/subject-options.ts';
import { action, emptyWorkspace, ROOT, runAction } from './run-action.ts';

const NOTHING_MADE = {
  report: '',
  html: '',
  junit: '',
  sarif: '',
  markdown: '',
  badge: '',
  tap: '',
  ctrf: '',
  codequality: '',
  har: '',
  diff: '',
  worse: '',
};
const FORMATS = 'markdown,github';
const HEALTH_ONLY = '--only=health/*';

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

function brokenServer(): Promise<string> {
  return listen(
    http.createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.url === '/health')
        response.end(JSON.stringify({ status: 'down', uptime: 5, timestamp: new Date().toISOString() }));
      else response.writeHead(404).end('{}');
    }),
  );
}

/** An address without a server: the port was free a moment ago. */
async function deadAddress(): Promise<string> {
  const server = net.createServer();
  const url = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

function resultAt(workspace: string, file: string | undefined): TestResult {
  return JSON.parse(readFileSync(path.join(workspace, file ?? ''), 'utf8')) as TestResult;
}

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('the action', () => {
  it('passes a conforming server, and outputs the paths of the reports', async () => {
    const workspace = emptyWorkspace();
    const inputs = { url: reference.url, formats: FORMATS, args: '--no-latency\n--seed=7\n' };
    const { code, log, summary, outputs } = await runAction(inputs, { workspace });
    expect(code, log).toBe(0);
    expect(outputs).toEqual({
      ...NOTHING_MADE,
      verdict: 'pass',
      'exit-code': '0',
      report: 'probity-reports/probity.json',
      markdown: 'probity-reports/probity.md',
    });
    expect(resultAt(workspace, outputs.report)).toMatchObject({ verdict: 'pass', seed: 7 });
    expect(readFileSync(path.join(workspace, 'probity-reports/probity.md'), 'utf8')).toBe(summary);
    expect(summary).toContain('Probity: PASS');
    expect(log).toContain('PASS  6 of 6 functions exercised, nothing failed.');
    expect(log).toMatch(/^::notice title=probity%3A PASS::/m);
    expect(readdirSync(workspace)).toEqual(['probity-reports']);
  });

  it('fails for a broken server, after all output', async () => {
    const workspace = emptyWorkspace();
    const url = await brokenServer();
    const inputs = { url, formats: FORMATS, args: HEALTH_ONLY };
    const { code, log, summary, outputs } = await runAction(inputs, { workspace });
    expect(code, log).toBe(1);
    expect(outputs).toMatchObject({ verdict: 'fail', 'exit-code': '1' });
    expect(resultAt(workspace, outputs.report).verdict).toBe('fail');
    expect(existsSync(path.join(workspace, outputs.markdown ?? ''))).toBe(true);
    expect(log).toMatch(/^::error title=MUST health\/operational::/m);
    expect(summary).toContain('Probity: FAIL');
  });

  it('distinguishes an unreachable server from a failing one', async () => {
    const workspace = emptyWorkspace();
    const url = await deadAddress();
    const { code, outputs } = await runAction({ url, formats: FORMATS }, { workspace });
    expect(code).toBe(3);
    expect(outputs).toMatchObject({ verdict: 'unreachable', 'exit-code': '3' });
    expect(resultAt(workspace, outputs.report).reachable).toBe(false);
  });

  it('reports a partly undecided run as incomplete', async () => {
    const url = await listen(http.createServer((_request, response) => response.writeHead(401).end()));
    const { code, outputs } = await runAction({ url, formats: FORMATS });
    expect(code).toBe(4);
    expect(outputs).toMatchObject({ verdict: 'incomplete', 'exit-code': '4' });
  });

  it('passes on configuration, level and further arguments', async () => {
    const workspace = emptyWorkspace();
    writeFileSync(path.join(workspace, 'a b.yaml'), 'config: v1\nreadOnly: true\n');
    const inputs = {
      url: `\n${reference.url}\n`,
      config: 'a b.yaml',
      'fail-on': 'should',
      formats: ' markdown,\n json ',
      reports: 'out $(touch stolen) "it\'s" & more/{a}',
      args: `\n  ${HEALTH_ONLY}\r\n\n--header=X-Note: "a" $b 'c'\n--header\nX-Other: 1\n`,
    };
    const { code, log, summary, outputs } = await runAction(inputs, { workspace });
    expect(code, log).toBe(0);
    expect(outputs.report).toBe(path.join(inputs.reports, 'probity.json'));
    expect(resultAt(workspace, outputs.report).settings).toMatchObject({
      failOn: 'should',
      readOnly: true,
      only: ['health/*'],
      headerNames: ['x-note', 'x-other'],
    });
    expect(readdirSync(workspace).toSorted()).toEqual(['a b.yaml', 'out $(touch stolen) "it\'s" & more']);
    // Annotations and a summary were not requested.
    expect(log).not.toMatch(/^::/m);
    expect(summary).toBe('');
  });

  it('outputs the path of the result even if nothing else is written', async () => {
    const { code, outputs } = await runAction({ url: reference.url, formats: 'github', args: HEALTH_ONLY });
    expect(code).toBe(0);
    expect(outputs).toMatchObject({ ...NOTHING_MADE, report: 'probity-reports/probity.json' });
  });
});

describe.concurrent('the action with a server of the Model Context Protocol', () => {
  const subject = `"${process.execPath}" "${SUBJECT}" '{"only":["add"]}'`;

  it('starts it, passes it the named variables, and reports its address', async () => {
    const workspace = emptyWorkspace();
    // It starts only with both.
    const mcp = `test "$SUBJECT_KEY$SUBJECT_MODE" = 'a "b" $c' && exec ${subject}`;
    const { code, log, outputs } = await runAction(
      { mcp, env: '\n SUBJECT_KEY,\n SUBJECT_MODE\n', formats: FORMATS, args: '--no-latency' },
      { workspace, env: { SUBJECT_KEY: 'a "b" ', SUBJECT_MODE: '$c' } },
    );
    expect(code, log).toBe(0);
    expect(outputs).toMatchObject({ verdict: 'pass', report: 'probity-reports/probity.json' });
    expect(resultAt(workspace, outputs.report).settings.mcp).toMatchObject({ address: mcp });
  });

  it('checks one at an address', async () => {
    const { url, close } = await startHttpSubject({ only: ['add'] });
    closers.push(close);
    const { code, log, outputs } = await runAction({ mcp: url, formats: FORMATS, args: '--no-latency' });
    expect(code, log).toBe(0);
    expect(outputs.verdict).toBe('pass');
  });

  it('reports one that does not start as unreachable', async () => {
    const { code, log, outputs } = await runAction({ mcp: 'echo no key >&2; exit 9', formats: FORMATS });
    expect(code, log).toBe(3);
    expect(outputs).toMatchObject({ verdict: 'unreachable', 'exit-code': '3' });
    expect(outputs.report).not.toBe('');
    expect(log).toMatch(/exit code 9\..*no key/);
  });

  it.each([
    [{ url: 'http://127.0.0.1:1', mcp: 'node' }, 'The inputs url and mcp cannot be combined'],
    [{ mcp: 'node', start: 'node' }, 'The inputs start and mcp cannot be combined'],
    [{ mcp: 'node', wait: '30s' }, 'The inputs wait and mcp cannot be combined'],
    [{ url: 'http://127.0.0.1:1', env: 'HOME' }, 'The input env applies only to the command of mcp'],
    [{ mcp: 'node', env: 'NOT_THERE_AT_ALL' }, 'NOT_THERE_AT_ALL is not set'],
    [{ mcp: 'http://127.0.0.1:1', env: 'HOME' }, '--env applies only to a command'],
  ])('refuses %j', async (inputs: Readonly<Record<string, string>>, words) => {
    const { code, log, outputs } = await runAction({ formats: FORMATS, ...inputs });
    expect(code, log).toBe(2);
    expect(log).toContain(words);
    expect(outputs).toEqual({ ...NOTHING_MADE, verdict: '', 'exit-code': '2' });
  });
});

describe('the action with invalid inputs', () => {
  const STALE = '{"verdict":"pass"}';

  it.concurrent.each<readonly [words: string, inputs: Readonly<Record<string, string>>]>([
    ['no address', { url: '' }],
    ['a command in the address', { url: '$(touch stolen)' }],
    ['a command in back quotes', { url: '`touch stolen`' }],
    ['quotes and commands', { url: '"; touch stolen; \' ; touch stolen #' }],
    ['an expression', { url: '${{ github.token }}' }],
    ['an address that is an option', { url: '--help' }],
    ['an option with a value', { url: '--output=stolen' }],
    ['an address of two lines', { url: 'http://127.0.0.1:1\nverdict=pass\n::add-mask::a' }],
    ['a command of two lines', { mcp: 'touch stolen\n::add-mask::a' }],
    ['a level of two lines', { url: 'http://127.0.0.1:1', 'fail-on': 'x\n::add-mask::a' }],
    ['a configuration that is a command', { url: 'http://127.0.0.1:1', config: '$(touch stolen)' }],
    ['a format that is a command', { url: 'http://127.0.0.1:1', formats: "json;touch$IFS'stolen'" }],
    [
      'arguments that are commands',
      { url: 'http://127.0.0.1:1', args: '; touch stolen\n--only=`touch stolen`' },
    ],
    ['the end of all options', { url: 'http://127.0.0.1:1', args: '--' }],
    ['an option that runs no check', { url: 'http://127.0.0.1:1', args: '--help' }],
    ['an option without its value', { url: 'http://127.0.0.1:1', args: '--config' }],
  ])('ends with a usage error, and runs nothing: %s', async (_words, inputs) => {
    const workspace = emptyWorkspace();
    mkdirSync(path.join(workspace, 'probity-reports'));
    writeFileSync(path.join(workspace, 'probity-reports/probity.json'), STALE);
    const { code, log, outputs } = await runAction({ formats: FORMATS, ...inputs }, { workspace });
    expect(code, log).toBe(2);
    expect(outputs).toEqual({ ...NOTHING_MADE, verdict: '', 'exit-code': '2' });
    expect(readdirSync(workspace)).toEqual(['probity-reports']);
    expect(log).not.toMatch(/^::(?!error title=Probity::|group::|endgroup::)/m);
    expect(log.trim()).not.toBe('');
  });

  it('names the wrong input', async () => {
    expect((await runAction({ url: ' ' })).log).toContain('The input url is missing');
    const target = { url: reference.url };
    for (const [input, others] of [
      ...['url', 'wait', 'config', 'baseline', 'fail-on', 'reports'].map((name) => [name, target] as const),
      ['mcp', {}] as const,
    ]) {
      const { log } = await runAction({ ...others, [input]: `${reference.url}\nb` });
      expect(log).toContain(`The input ${input} has a line break`);
    }
    const { log } = await runAction({ url: '--help', formats: FORMATS });
    expect(log).toContain('"--help" is not');
    const workspace = emptyWorkspace();
    writeFileSync(path.join(workspace, 'taken'), '');
    const taken = await runAction({ url: reference.url, reports: 'taken' }, { workspace });
    expect(taken.code).toBe(2);
    expect(taken.log).toMatch(/The input reports names a folder that cannot be written to: E[A-Z]+\./);
    const help = await runAction({ url: reference.url, args: '--help', formats: FORMATS });
    expect(help.log).toMatch(/without a result, so nothing was judged\. Remove options from args/);
  });
});

describe('a command that ends without a result', () => {
  const actionPath = emptyWorkspace();
  cpSync(path.join(ROOT, 'action'), path.join(actionPath, 'action'), { recursive: true });
  mkdirSync(path.join(actionPath, 'dist'));

  it.each<readonly [words: string, script: string, code: number, verdict: string]>([
    ['neither passes', '', 2, ''],
    ['nor fails the server', 'throw new Error("broken")', 70, ''],
    ['nor hides that it was killed', 'process.kill(process.pid, "SIGKILL")', 137, ''],
    ['but may report that no server answered', 'process.exitCode = 3', 3, 'unreachable'],
  ])('%s', async (_words, script, code, verdict) => {
    writeFileSync(path.join(actionPath, 'dist/probity.js'), script);
    const run = await runAction({ url: 'http://127.0.0.1:1' }, { actionPath });
    expect(run.code, run.log).toBe(code);
    expect(run.outputs).toEqual({ ...NOTHING_MADE, verdict, 'exit-code': String(code) });
  });
});

describe('the runner on which the action is used', () => {
  const lookUp = process.env.PATH ?? '';

  function folderWith(name: string, script: string): string {
    const folder = emptyWorkspace();
    const file = path.join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}`);
    chmodSync(file, 0o755);
    return folder;
  }

  it('interrupts the check when the job is cancelled, which then writes a partial report', async () => {
    const url = await listen(net.createServer((socket) => socket.on('error', () => undefined)));
    let sent = false;
    const { code, log, outputs } = await runAction(
      { url, formats: FORMATS, args: '--timeout=20' },
      {
        onOutput: (text, kill) => {
          if (sent || !text.includes('checking')) return;
          sent = true;
          kill('SIGINT');
        },
      },
    );
    expect(log).toContain('interrupted');
    expect(code).toBe(4);
    expect(outputs).toMatchObject({ verdict: 'incomplete', report: 'probity-reports/probity.json' });
  });

  it('is refused if the revision has no built files', async () => {
    const actionPath = emptyWorkspace();
    cpSync(path.join(ROOT, 'action'), path.join(actionPath, 'action'), { recursive: true });
    const { code, log, outputs } = await runAction({ url: reference.url }, { actionPath });
    expect(code).toBe(2);
    expect(log).toContain('This revision of the action has no built files. Use a release of it');
    expect(new Set(Object.values(outputs))).toEqual(new Set(['']));
  });

  it('is refused if its Node is too old or missing', async () => {
    const older = (version: string): string => {
      const preload = path.join(emptyWorkspace(), 'older.cjs');
      writeFileSync(
        preload,
        `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
      );
      return folderWith('node', `exec '${process.execPath}' --require '${preload}' "$@"\n`);
    };
    const withNode = (version: string) =>
      runAction({ url: '' }, { env: { PATH: `${older(version)}${path.delimiter}${lookUp}` } });
    const refused = await withNode('18.20.4');
    expect(refused.code).toBe(2);
    expect(refused.log).toContain('::error title=Probity::Node 18.20.4 is older than 20.19.0');
    expect(refused.log).not.toContain('The input url');
    for (const version of ['20.19.0', '22.0.0', '100.0.0'])
      expect((await withNode(version)).log).toContain('The input url is missing');
    expect((await withNode('20.18.3')).log).toContain('is older than 20.19.0');

    const bash = emptyWorkspace();
    const [found = ''] = lookUp
      .split(path.delimiter)
      .filter((folder) => existsSync(path.join(folder, 'bash')));
    symlinkSync(path.join(found, 'bash'), path.join(bash, 'bash'));
    const none = await runAction({ url: reference.url }, { env: { PATH: bash } });
    expect(none.code).toBe(2);
    expect(none.log).toContain('Node.js is missing on this runner');
  });
});

describe('action.yml', () => {
  it('describes all inputs and outputs, and requires no input, because two name a server', () => {
    for (const { description } of [...Object.values(action.inputs), ...Object.values(action.outputs)])
      expect(description).toMatch(/\.$/);
    const required = Object.entries(action.inputs).filter(([, { required: must }]) => must === true);
    expect(required).toEqual([]);
  });
});
