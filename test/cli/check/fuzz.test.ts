import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../natural/natural-server.ts';
import { EXPRESS_PAGE } from '../../natural/planted-inputs/unhandled.ts';
import { plantedSequenceBugs } from '../../natural/planted-sequences.ts';
import { careful, serveNatural } from '../../natural/serve-natural.ts';
import { list, number, object, text } from '../../natural/shapes.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const running: RunningServer[] = [];
afterAll(async () => {
  for (const server of running) await server.close();
});

/** Two functions with a fault each, and one that changes something. */
async function faulty(): Promise<string> {
  const functions = [
    {
      name: 'getInitials',
      description: 'Returns the initials of a name.',
      parameters: object({ name: text('Name', { maxLength: 50 }) }),
      returns: object({ initials: text('In capitals.') }),
      examples: [{ name: 'Grace Hopper' }],
      run: ({ name }: { name: string }) => ({
        initials: name
          .split(' ')
          .map((word) => (word[0] as string).toUpperCase())
          .join(''),
      }),
    },
    {
      name: 'getAverage',
      description: 'Returns the average of numbers.',
      parameters: object({ values: list({ type: 'number' }, 'Numbers', { maxItems: 100 }) }),
      returns: object({ average: number('The average.') }),
      examples: [{ values: [1, 2] }],
      run: ({ values }: { values: readonly number[] }) => ({
        average: values.reduce((sum, value) => sum + value / values.length, 0 / values.length),
      }),
    },
    {
      name: 'deleteAll',
      description: 'Deletes everything.',
      parameters: object({ reason: text('Why') }),
      returns: object({ deleted: number('How many.') }),
      examples: [{ reason: 'Tests' }],
      run: () => ({ deleted: 0 }),
    },
  ];
  const service = { name: 'figures', version: '1.0.0', description: 'Small figures.', functions };
  const server = await serveNatural(service, 'B', undefined, { ...careful, ...EXPRESS_PAGE });
  running.push(server);
  return server.url;
}

const SEED = ['--seed', '7'];

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('probity fuzz', () => {
  it('shows the smallest input for each fault, keeps it, and tries it first', async () => {
    const [url, cwd] = [await faulty(), emptyFolder()];
    const first = await runCommand(['fuzz', url, ...SEED], { cwd });
    expect(first.code).toBe(1);
    expect(first.stdout).toContain('"parameters":{"name":""}');
    expect(first.stdout).toContain('"parameters":{"values":[]}');
    expect(first.stdout.replaceAll(/\s+/g, ' ')).toContain(`probity fuzz ${url} --seed 7`);
    expect(first.stderr).toContain('2 inputs added to .probity/regressions.yaml');
    const kept = readFileSync(path.join(cwd, '.probity/regressions.yaml'), 'utf8');
    expect(kept).toContain('input: {"name":""}');
    expect(kept).toContain('input: {"values":[]}');

    const again = await runCommand(['fuzz', url, '--json', ...SEED], { cwd });
    expect(again.stderr).not.toContain('added to');
    expect(readFileSync(path.join(cwd, '.probity/regressions.yaml'), 'utf8')).toBe(kept);
    const { exchanges } = JSON.parse(again.stdout) as {
      readonly exchanges: readonly {
        readonly request: { readonly key: string; readonly body: { text: string } };
      }[];
    };
    const second = exchanges.find(({ request }) => request.key.includes('[getInitials]@B%valid-1#'));
    expect(second?.request.body.text).toContain('"parameters":{"name":""}');

    const lint = await runCommand(['lint', '.probity/regressions.yaml'], { cwd });
    expect([lint.code, lint.stdout]).toEqual([0, 'No mistakes in 1 file.\n']);
  });

  it('writes a suite that repeats the calls', async () => {
    const [url, cwd] = [await faulty(), emptyFolder()];
    await runCommand(['fuzz', url, ...SEED], { cwd });
    const [suite = ''] = readdirSync(path.join(cwd, 'reports')).filter((name) =>
      name.endsWith('.suite.yaml'),
    );
    const file = path.join('reports', suite);
    const repeated = await runCommand(
      ['check', url, '--suite', file, '--only', 'fuzz/*', '--no-latency', '--json'],
      { cwd },
    );
    const { results } = JSON.parse(repeated.stdout) as {
      readonly results: readonly { readonly id: string; readonly outcome: string }[];
    };
    expect(results.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'fuzz/fault-1 failed',
      'fuzz/fault-2 failed',
    ]);
  });

  it('calls what changes something only if told to', async () => {
    const [url, cwd] = [await faulty(), emptyFolder()];
    const callsOf = async (...args: readonly string[]): Promise<number> => {
      const { stdout } = await runCommand(['fuzz', url, '--json', '--calls', '40', ...args, ...SEED], {
        cwd,
      });
      return stdout.split('inputs/explore[deleteAll]').length - 1;
    };
    expect(await callsOf()).toBe(0);
    expect(await callsOf('--allow-mutating', '--function', 'delete*')).toBeGreaterThan(10);
  });

  it('refuses regressions that it cannot read, before it calls anything', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'broken.yaml'), 'regressions: v1\ninputs: [{ function: a }]\n');
    const { code, stderr } = await runCommand(
      ['fuzz', 'http://127.0.0.1:9', '--regressions', 'broken.yaml'],
      {
        cwd,
      },
    );
    expect(code).toBe(2);
    expect(stderr).toContain('broken.yaml:2:');
    expect(existsSync(path.join(cwd, '.probity'))).toBe(false);
  });
});

describe.concurrent('a fault that needs several calls', () => {
  /** Reading a deleted note ends in an error page. */
  async function forgetful(): Promise<string> {
    const bug = plantedSequenceBugs.find(({ name }) => name === 'reading a deleted note ends in 502');
    const server = await bug?.start();
    if (server === undefined) throw new Error('the server is missing');
    running.push(server);
    return server.url;
  }
  const MUTATING = ['--allow-mutating', '--calls', '60', ...SEED];

  it('is shown with all calls, kept, tried first next time, and written as a suite', async () => {
    const [url, cwd] = [await forgetful(), emptyFolder()];
    const first = await runCommand(['fuzz', url, '--json', ...MUTATING], { cwd });
    expect(first.code).toBe(1);
    const { findings } = JSON.parse(first.stdout) as {
      readonly findings: readonly { readonly message: string; readonly curl: string }[];
    };
    expect(findings.map(({ message }) => message)).toEqual([
      '"getNote" answers a valid input with status 502 after "createNote" and "deleteNote"',
    ]);
    expect(findings[0]?.curl.match(/"function":"\w+"/g)).toEqual([
      '"function":"createNote"',
      '"function":"deleteNote"',
      '"function":"getNote"',
    ]);
    expect(first.stderr).toContain('1 input added to .probity/regressions.yaml');
    const kept = readFileSync(path.join(cwd, '.probity/regressions.yaml'), 'utf8');
    expect(kept).toContain('from: {"id":{"call":1,"at":"/id"}}');
    const lint = await runCommand(['lint', '.probity/regressions.yaml'], { cwd });
    expect([lint.code, lint.stdout]).toEqual([0, 'No mistakes in 1 file.\n']);

    const again = await runCommand(['fuzz', url, '--json', ...MUTATING], { cwd });
    expect(again.stderr).not.toContain('added to');
    const { exchanges } = JSON.parse(again.stdout) as {
      readonly exchanges: readonly { readonly request: { readonly key: string } }[];
    };
    const [tried] = exchanges.filter(({ request }) => request.key.startsWith('inputs/sequences['));
    expect(tried?.request.key).toContain('[createNote]@B%known-');

    const [suite = ''] = readdirSync(path.join(cwd, 'reports')).filter((name) =>
      name.endsWith('.suite.yaml'),
    );
    const repeated = await runCommand(
      ['check', url, '--suite', path.join('reports', suite), '--only', 'fuzz/*', '--no-latency', '--json'],
      { cwd },
    );
    const { results } = JSON.parse(repeated.stdout) as {
      readonly results: readonly { readonly id: string; readonly outcome: string }[];
    };
    expect(results.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'fuzz/fault-1-after-1 passed',
      'fuzz/fault-1-after-2 passed',
      'fuzz/fault-1 failed',
      'fuzz/fault-1-result undecided',
    ]);
  });

  it('is not looked for unless changes are allowed', async () => {
    const [url, cwd] = [await forgetful(), emptyFolder()];
    const { stdout } = await runCommand(['fuzz', url, '--json', '--calls', '60', ...SEED], { cwd });
    const { exchanges } = JSON.parse(stdout) as {
      readonly exchanges: readonly { readonly request: { readonly key: string } }[];
    };
    const sequences = exchanges.filter(({ request }) => request.key.startsWith('inputs/sequences['));
    expect(sequences).toEqual([]);
  });
});
