import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import type { NaturalFunction, RunningServer } from '../../natural/natural-server.ts';
import { serveNatural } from '../../natural/serve-natural.ts';
import { integer, object, text } from '../../natural/shapes.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function serve(run: (input: { text: string }) => { words: unknown }): Promise<string> {
  const countWords: NaturalFunction = {
    name: 'countWords',
    description: 'Counts the words of a text.',
    parameters: object({ text: text('Text') }),
    returns: object({ words: integer('Number of words') }),
    run,
  };
  const service = { name: 'words', version: '1.0.0', description: 'Words.', functions: [countWords] };
  const server = await serveNatural(service, 'B');
  running.push(server);
  return server.url;
}

const QUICK = ['--calls', '60', '--seed', '1'];

describe('the outcome of probity fuzz', () => {
  it('saves a report that is judged to the same result again', async () => {
    const url = await serve(({ text: given }) => ({ words: given.length }));
    const cwd = emptyFolder();
    const fuzzed = await runCommand(['fuzz', url, '--json', ...QUICK], { cwd });
    const [name = ''] = readdirSync(path.join(cwd, 'reports'));
    const judged = await runCommand(['judge', path.join('reports', name), '--json'], { cwd });
    expect(judged).toMatchObject({ code: fuzzed.code, stdout: fuzzed.stdout, stderr: '' });
  });

  it('is incomplete if it was interrupted', async () => {
    let calls = 0;
    let interrupt = (): void => undefined;
    const url = await serve(({ text: given }) => {
      calls += 1;
      if (calls === 30) interrupt();
      return { words: given.length };
    });
    const { code, stdout } = await runCommand(['fuzz', url, '--json', '--calls', '5000'], {
      onOutput: (_stderr, kill) => {
        interrupt = () => kill('SIGINT');
      },
    });
    expect((JSON.parse(stdout) as TestResult).verdict).toBe('incomplete');
    expect(code).toBe(4);
  });

  it('says why nothing was explored', async () => {
    const url = await serve(({ text: given }) => ({ words: given.length }));
    const { code, stderr } = await runCommand(['fuzz', url, '--function', 'countWord', ...QUICK]);
    expect(stderr).toContain('Nothing was explored: no function that may be explored is named countWord.');
    expect(code).toBe(4);
  });
});
