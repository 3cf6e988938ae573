import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { planRequests } from '../../src/check/plan-requests.ts';
import { validateTestResult } from '../../src/generated/test-result.js';
import type { TestResult } from '../../src/model/report.ts';
import { checkHere } from '../check/check-here.ts';
import { emptyFolder, runCommand } from '../cli/run-command.ts';
import { PATIENT } from '../patience.ts';
import { type HttpSubjectOptions, startHttpSubject } from './http-subject.ts';
import type { SubjectOptions } from './subject-options.ts';
import { SUBJECT } from './subject-options.ts';

/** A slow machine must not decide. */
const PATIENT_FLAGS = ['--timeout', '60', '--deadline', '600'];

const MINIMAL = { only: ['add'] } satisfies SubjectOptions;

function command(options: SubjectOptions): string {
  return `"${process.execPath}" "${SUBJECT}" '${JSON.stringify(options)}'`;
}

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

async function remote(options: HttpSubjectOptions): Promise<string> {
  const server = await startHttpSubject(options);
  closers.push(server.close);
  return server.url;
}

async function checked(mcp: string, ...args: readonly string[]) {
  const finished = await runCommand([
    'check',
    '--mcp',
    mcp,
    '--no-latency',
    '--json',
    ...PATIENT_FLAGS,
    ...args,
  ]);
  return { ...finished, result: JSON.parse(finished.stdout) as TestResult };
}

/** The same check in this process, which starts faster than the command. */
function checkedHere(target: string, options: CheckOptions = {}): Promise<TestResult> {
  return checkHere(
    target,
    {
      mcp: target.startsWith('http') ? {} : { command: target },
      latency: { off: true },
      requestTimeoutMs: PATIENT.requestTimeoutMs,
      deadlineMs: PATIENT.deadlineMs,
      ...options,
    },
    { signal: new AbortController().signal },
  );
}

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('probity check --mcp', () => {
  it.each([
    ['over stdio', async () => command(MINIMAL)],
    ['over streamable HTTP', () => remote(MINIMAL)],
  ])('passes a correct server %s', async (_name, target) => {
    const mcp = await target();
    const { code, stderr, result } = await checked(mcp);
    const { verdict, summary, results, findings, target: found, settings } = result;
    expect({ code, verdict, findings, stderr }).toMatchObject({ code: 0, verdict: 'pass', findings: [] });
    expect(summary).toMatchObject({ failed: 0, warnings: 0, undecided: 0 });
    expect(results.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id)).toEqual(
      expect.arrayContaining(['mcp/tools-listed', 'mcp/calls-served', 'inputs/result-matches-returns']),
    );
    expect(found).toMatchObject({ name: 'subject', version: '1.2.3' });
    expect(settings.mcp).toMatchObject({ address: mcp, era: 'auto' });
    expect(found.mcpVersion).toBe('2025-11-25');
  });

  it('blames the server for a result that breaks its output schema', async () => {
    const mcp = command({ ...MINIMAL, wrongSums: true });
    const result = await checkedHere(mcp);
    expect(result.verdict).toBe('fail');
    const finding = result.findings.find(({ id }) => id === 'mcp/structured-content');
    expect(finding).toMatchObject({
      outcome: 'failed',
      fault: 'server',
      where: { pointer: '/result/structuredContent/sum' },
    });
    expect(finding?.check).toContain('probity check --mcp ');
    expect(finding?.curl).toContain('"tools/call"');
  });

  it('opens a session in the command that repeats a message', async () => {
    const change: HttpSubjectOptions['change'] = (message, { method }) =>
      method === 'probity/unknown' ? { ...message, error: { code: 1, message: 'no' } } : message;
    const { findings } = await checkedHere(await remote({ ...MINIMAL, change }), {
      only: ['mcp/unknown-method'],
    });
    const [finding] = findings;
    expect(finding).toMatchObject({
      id: 'mcp/unknown-method',
      message: 'the server does not answer an unknown method with the error -32601',
    });
    const sent = finding?.curl?.split(' && ') ?? [];
    for (const method of ['"initialize"', '"notifications/initialized"', '"probity/unknown"'])
      expect(sent.some((command) => command.includes(method))).toBe(true);
  });

  it('passes a server that offers no tools', async () => {
    const change: HttpSubjectOptions['change'] = (message, { id, method }) => {
      if (method === 'tools/list' || method === 'tools/call')
        return { jsonrpc: '2.0', id: id ?? 0, error: { code: -32601, message: 'unknown method' } };
      return method === 'initialize' || method === 'server/discover'
        ? { ...message, result: { ...(message.result as object), capabilities: { prompts: {} } } }
        : message;
    };
    const result = await checkedHere(await remote({ change, offers: ['prompts'] }));
    expect(result).toMatchObject({ verdict: 'pass', findings: [], summary: { undecided: 0 } });
  });

  it('accepts tools that do what their annotations say', async () => {
    const notes = { only: ['listNotes', 'findText', 'putNote'], notes: 'kept' } satisfies SubjectOptions;
    const result = await checkedHere(command(notes), { only: ['mcp/*'] });
    const kept = result.results.filter(({ id }) => id.endsWith('-kept'));
    expect(kept.map(({ outcome, text }) => [outcome, text])).toEqual([
      ['passed', expect.any(String)],
      ['passed', expect.any(String)],
    ]);
  });

  /** Each definition refers to the next one twice: 2^40 ways to the last one. */
  const doubling = (keyword: string, schema: object) => {
    const definitions = Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { [keyword]: [next, next] }];
    });
    const own: object = '$defs' in schema ? Object(schema.$defs) : {};
    const $defs = { ...own, ...Object.fromEntries(definitions), d40: { type: 'object', minProperties: 1 } };
    return { ...schema, $ref: '#/$defs/d0', $defs };
  };

  it.each(['allOf', 'anyOf'])('decides all of a server whose schemas double with %s', async (keyword) => {
    const change: HttpSubjectOptions['change'] = (message, { method }) => {
      if (method !== 'tools/list' || !('result' in message)) return message;
      const { result } = message as unknown as { result: { tools: readonly Record<string, object>[] } };
      const tools = result.tools.map((tool) => ({
        ...tool,
        inputSchema: doubling(keyword, tool.inputSchema ?? {}),
        outputSchema: doubling(keyword, tool.outputSchema ?? {}),
      }));
      return { ...message, result: { ...result, tools } };
    };
    const url = await remote({ ...MINIMAL, change });
    const { results } = await checkedHere(url);
    expect(results.filter(({ outcome }) => outcome === 'failed' || outcome === 'undecided')).toEqual([]);
    const row = results.find(({ id }) => id === 'mcp/structured-content');
    expect(row).toMatchObject({ outcome: 'passed' });
    const { requests } = await planRequests(url, { mcp: {} });
    expect(requests.length).toBeGreaterThan(20);
  });

  it('accepts that a server changes its tools', async () => {
    let lists = 0;
    const change: HttpSubjectOptions['change'] = (message, { method }) => {
      if (method !== 'tools/list' || message.result === undefined) return message;
      lists += 1;
      const { tools } = message.result as { readonly tools: readonly object[] };
      return { ...message, result: { tools: tools.map((tool) => ({ ...tool, title: `Adds, ${lists}` })) } };
    };
    const result = await checkedHere(await remote({ ...MINIMAL, quiet: true, change }));
    expect(lists).toBeGreaterThan(2);
    expect(result.findings).toEqual([]);
  });

  it('does not decide about a list of tools that is longer than it reads', async () => {
    const change: HttpSubjectOptions['change'] = (message, { method }) => {
      if (method !== 'tools/list') return message;
      const { tools } = message.result as { readonly tools: readonly object[] };
      return { ...message, result: { tools, _meta: { note: 'x'.repeat(5_000_000) } } };
    };
    const result = await checkedHere(await remote({ ...MINIMAL, change }), { only: ['mcp/tools-listed'] });
    expect(result).toMatchObject({
      verdict: 'incomplete',
      findings: [
        {
          outcome: 'undecided',
          fault: 'harness',
          message: expect.stringContaining('more than the harness reads'),
        },
      ],
    });
  });

  it('still blames a server that does not repeat the values', async () => {
    const finished = await runCommand(
      [
        'check',
        '--mcp',
        command({ ...MINIMAL, wrongSums: true }),
        '--env',
        'SUBJECT_KEY',
        '--no-latency',
        ...PATIENT_FLAGS,
      ],
      { env: { SUBJECT_KEY: 'never-repeated' } },
    );
    expect(finished.code).toBe(1);
  });

  it('blames nobody for values that it replaced', async () => {
    const finished = await runCommand(
      [
        'check',
        '--mcp',
        command(MINIMAL),
        '--env',
        'SUBJECT_KEY',
        '--no-latency',
        '--json',
        ...PATIENT_FLAGS,
      ],
      { env: { SUBJECT_KEY: 'inputSchema' } },
    );
    const result = JSON.parse(finished.stdout) as TestResult;
    expect(finished.code).toBe(4);
    expect(result.findings.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    const finding = result.findings.find(({ fix }) => fix.includes('The value of the variable SUBJECT_KEY'));
    expect(finding).toMatchObject({ outcome: 'undecided', fault: 'harness' });
    expect(finding?.check).toContain(' --env SUBJECT_KEY ');
  });

  it('accepts a tool without parameters', async () => {
    const result = await checkedHere(command({ only: ['bare'] }));
    expect(result).toMatchObject({ verdict: 'pass', findings: [] });
  });

  it('says nothing about declared results if no tool has an output schema', async () => {
    const result = await checkedHere(command({ only: ['greet'] }));
    const rows = new Map(result.results.map((row) => [row.id, row]));
    for (const id of ['documentation/return-types', 'inputs/result-matches-returns'])
      expect(rows.get(id)).toMatchObject({ outcome: 'inapplicable' });
    expect(result.verdict).toBe('pass');
  });

  it('blames the server if it ends', async () => {
    const result = await checkedHere(command({ only: ['crash'] }), { mutating: { default: 'allow' } });
    expect(result.verdict).toBe('fail');
    const found = result.findings.map(({ id, outcome, fault, message }) => ({ id, outcome, fault, message }));
    expect(found).toContainEqual({
      id: 'mcp/calls-answered',
      outcome: 'failed',
      fault: 'server',
      message: expect.stringContaining('exit code 3'),
    });
  });

  it('does not decide about a tool that takes longer than the time-out', async () => {
    const result = await checkedHere(command({ only: ['hang', 'add'] }), { requestTimeoutMs: 1000 });
    const finding = result.findings.find(({ id }) => id === 'mcp/calls-answered');
    expect(result.coverage).toMatchObject({ exercised: 1, notExercised: [{ function: 'hang' }] });
    expect({ verdict: result.verdict, finding }).toMatchObject({
      verdict: 'pass',
      finding: {
        outcome: 'undecided',
        because: 'not-exercised',
        fault: 'harness',
        fix: expect.stringContaining('more time with --timeout'),
      },
    });
  });

  it('does not decide about generated inputs if no tool answers in time', async () => {
    const result = await checkedHere(command({ only: ['hang'] }), { requestTimeoutMs: 1000 });
    const row = result.results.find(({ id }) => id === 'inputs/valid-answered');
    expect(row).toMatchObject({ outcome: 'undecided', because: 'not-exercised' });
    const late = result.findings.find(({ id }) => id === 'mcp/calls-answered');
    expect(late?.curl).toMatch(/^probity send --era session --timeout 1 /);
    expect(late?.check).toContain(' --timeout 1 ');
  });

  it('prints the calls between which something changed, and a command that fails on a warning', async () => {
    const result = await checkedHere(
      command({ only: ['listNotes', 'findText'], notes: 'changed by reading' }),
    );
    const finding = result.findings.find(({ id }) => id === 'mcp/read-only-kept');
    const names = [...(finding?.curl?.matchAll(/"name":"(\w+)","arguments"/g) ?? [])].map(([, name]) => name);
    expect(names).toEqual(['listNotes', 'findText', 'listNotes', 'findText', 'listNotes']);
    expect(finding?.check).toContain(' --only mcp/read-only-kept --fail-on should ');
    expect(result.facts.map(({ name }) => name)).not.toContain('form');
  });

  it('times the list of tools like the calls', async () => {
    const { stdout } = await runCommand(['check', '--mcp', command(MINIMAL), '--samples', '20', '--json']);
    const { responseTimes, results } = JSON.parse(stdout) as TestResult;
    const timed = responseTimes.filter((times) => 'unreliable' in times).map(({ operation }) => operation);
    expect(new Set(timed)).toEqual(new Set(['health', 'capabilities', 'execute']));
    expect(results.find(({ id }) => id === 'performance/error-rate')?.outcome).toBe('passed');
  });

  it('judges its saved report again to the same rows, and shows the server as its target', async () => {
    const cwd = emptyFolder();
    const mcp = command(MINIMAL);
    const first = await runCommand(['check', '--mcp', mcp, '--no-latency', '--json'], { cwd });
    const { results } = JSON.parse(first.stdout) as TestResult;
    const [saved = ''] = readdirSync(path.join(cwd, 'reports')).filter((name) => name.endsWith('.json'));
    const file = path.join('reports', saved);
    expect(readFileSync(path.join(cwd, file), 'utf8')).toContain('"mcp"');
    const again = await runCommand(['judge', file, '--json'], { cwd });
    expect((JSON.parse(again.stdout) as TestResult).results).toEqual(results);
    const shown = await runCommand(['render', file], { cwd });
    expect(shown.stdout.split('\n')[0]).toContain('stdio-subject.mjs');
  });

  it('also runs plan, fuzz and bench', async () => {
    const mcp = command(MINIMAL);
    const planned = await runCommand(['plan', '--mcp', mcp]);
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('"name":"add"') });
    const fuzzed = await runCommand(['fuzz', '--mcp', mcp, '--calls', '20', '--duration', '2', '--verbose']);
    expect(fuzzed).toMatchObject({ code: 0, stdout: expect.stringContaining('inputs') });
    const timed = await runCommand([
      'bench',
      '--mcp',
      mcp,
      '--operation',
      'execute:add',
      '--requests',
      '20',
      '--connections',
      '1',
    ]);
    expect(timed.stdout).toContain('20 calls, no errors');
    expect(timed.stdout.split('\n')[0]).toContain('stdio-subject.mjs');
  });

  it('writes a configuration that names the server, not the bridge', async () => {
    const cwd = emptyFolder();
    const { code, stderr } = await runCommand(['init', '--mcp', command(MINIMAL)], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('Then: probity check ');
    const written = readFileSync(path.join(cwd, 'probity.config.yaml'), 'utf8');
    expect(written).toContain('stdio-subject.mjs');
    expect(written + stderr).not.toContain('127.0.0.1');
    const { code: again } = await runCommand(['check', '--mcp', command(MINIMAL), '--no-latency'], { cwd });
    expect(again).toBe(0);
  });

  it.each([
    [['--mcp', 'node', 'http://127.0.0.1:1'], 'name two servers'],
    [['--mcp', 'node', '--start', 'node'], '--start cannot be combined with --mcp'],
    [['--mcp', ' '], 'Give the command'],
  ])('refuses %j', async (args, words) => {
    const { code, stderr } = await runCommand(['check', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it('says what a server answers that refuses every opening', async () => {
    const { code, result } = await checked(command({ refusal: 'not today' }));
    expect(code).toBe(1);
    const failed = result.findings.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ id }) => id)).toEqual(['mcp/initialize-answered']);
    expect(failed[0]?.received).toContain('not today');
  });

  it('fails an endpoint that answers 500 to everything', async () => {
    const { code, result } = await checked(
      await remote({ intercept: () => ({ status: 500, body: 'boom' }) }),
    );
    const failed = result.findings.filter(({ outcome }) => outcome === 'failed');
    expect([code, result.reachable, failed.map(({ id }) => id)]).toEqual([
      1,
      true,
      ['mcp/initialize-answered'],
    ]);
    expect(failed[0]?.received).toContain('500');
  });

  it.each([
    [
      'a command that exits',
      'echo no server >&2; exit 9',
      { fault: 'server', message: expect.stringMatching(/exit code 9\..*no server/s) },
    ],
    [
      'a program that does not exist',
      'no-such-program --stdio',
      { fault: 'server', message: expect.stringContaining('exit code 127') },
    ],
    [
      'an address at which nothing listens',
      async () => {
        const server = await startHttpSubject();
        await server.close();
        return server.url;
      },
      { code: 'connection-refused', fault: 'network', message: expect.stringContaining('was refused') },
    ],
  ])('replaces the report of an earlier run for %s, and says why', async (_name, target, reason) => {
    const mcp = typeof target === 'string' ? target : await target();
    const cwd = emptyFolder();
    for (const name of ['probity.junit.xml', 'probity.md'])
      writeFileSync(path.join(cwd, name), 'of an earlier run');
    const { code, stdout, stderr } = await runCommand(
      ['check', '--mcp', mcp, '--format', 'junit,markdown', '--output', `${cwd}/`],
      { cwd },
    );
    expect({ code, stderr }).toMatchObject({ code: 3 });
    expect(stdout).toMatch(/^UNREACHABLE {2}/);
    expect(readFileSync(path.join(cwd, 'probity.junit.xml'), 'utf8')).toContain('"UNREACHABLE"');
    expect(readFileSync(path.join(cwd, 'probity.md'), 'utf8')).toContain('Probity: UNREACHABLE');
    const [saved = ''] = readdirSync(path.join(cwd, 'reports')).filter((name) => name.endsWith('.json'));
    const result = JSON.parse(readFileSync(path.join(cwd, 'reports', saved), 'utf8')) as TestResult;
    expect(validateTestResult(result), JSON.stringify(validateTestResult.errors)).toBe(true);
    expect(result.reachable).toBe(false);
    const unanswered = result.exchanges.find(({ kind }) => kind === 'unanswered');
    expect(unanswered).toMatchObject({ reason });
    const failed = result.findings.filter(({ outcome }) => outcome === 'failed');
    expect(new Set(failed.map(({ fault }) => fault))).toEqual(new Set([reason.fault]));
    expect(JSON.stringify(result)).not.toContain('defect of the harness');
    const { code: judged, stdout: again } = await runCommand(
      ['judge', path.join('reports', saved), '--json'],
      { cwd },
    );
    expect([judged, JSON.parse(again)]).toEqual([3, result]);
  });

  it.each([[['--json']], [['--only', 'mcp/calls-served', '--json']]])(
    'prints that report with %j',
    async (args) => {
      const { code, stdout } = await runCommand(['check', '--mcp', 'exit 9', ...args]);
      const result = JSON.parse(stdout) as TestResult;
      expect([code, result.reachable, result.settings.mcp?.address]).toEqual([3, false, 'exit 9']);
    },
  );
});
