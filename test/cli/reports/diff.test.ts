import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeHistogram } from '../../../src/latency/encoded-histogram.ts';
import { isMeasurement } from '../../../src/model/measurement.ts';
import type { TestResult } from '../../../src/model/report.ts';
import type { ResultDiff } from '../../../src/report/compare/diff-results.ts';
import { histogramOf } from '../../latency/histogram-of.ts';
import { type BrokenServer, startBrokenServer, statusIsNull, statusIsNumber } from '../broken-server.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

let server: BrokenServer;
const cwd = emptyFolder();
const files: Record<'sound' | 'number' | 'nothing' | 'strict' | 'timed', string> = {
  sound: '',
  number: '',
  nothing: '',
  strict: '',
  timed: '',
};

async function checked(name: string, ...args: readonly string[]): Promise<string> {
  await runCommand(
    ['check', server.url, '--only', 'health/*,performance/health-latency', '--reports', name, ...args],
    { cwd },
  );
  return path.join(name, readdirSync(path.join(cwd, name))[0] ?? '');
}

beforeAll(async () => {
  server = await startBrokenServer();
  files.sound = await checked('sound', '--no-latency');
  files.strict = await checked('strict', '--no-latency', '--fail-on', 'should');
  files.timed = await checked('timed', '--samples', '8');
  server.breakSo(statusIsNumber);
  files.number = await checked('number', '--no-latency');
  server.breakSo(statusIsNull);
  files.nothing = await checked('nothing', '--no-latency');
});
afterAll(() => server.close());

const diff = (...args: readonly string[]) => runCommand(['diff', ...args], { cwd });

describe('probity diff', () => {
  it('prints what got worse, and fails', async () => {
    const { code, stdout } = await diff(files.sound, files.number);
    expect(code).toBe(1);
    expect(stdout).toContain('PASS → ');
    expect(stdout).toContain('WORSE  health/status-string  passed → failed, MUST');
    expect(stdout).toMatch(/received 200 \(number\)/);
    expect(stdout).toContain('UNDECIDED NOW  health/operational');
    expect(stdout).toContain('blocked by health/status-string');
    expect(stdout).toContain('Something got worse.');
    expect(stdout).not.toContain('What else changed');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(82);
  });

  it('prints what got better and what changed, and does not fail', async () => {
    const better = await diff(files.number, files.sound);
    expect(better.code).toBe(0);
    expect(better.stdout).toContain('BETTER  health/status-string  failed → passed, MUST');
    const otherwise = await diff(files.number, files.nothing);
    expect(otherwise.code).toBe(0);
    expect(otherwise.stdout).toContain('CHANGED  health/status-string  fails differently');
  });

  it('prints one line if nothing changed', async () => {
    const { code, stdout } = await diff(files.sound, files.sound);
    expect(code).toBe(0);
    expect(stdout).toBe(`Nothing changed: ${server.url}, PASS both times.\n`);
  });

  it('shows whether the server changed', async () => {
    const { code, stdout } = await diff(files.sound, files.strict);
    expect(code).toBe(0);
    expect(stdout).toContain('Other changes, which may be the cause:');
    expect(stdout).toMatch(/failOn: "must" → "should"/);
    const timed = await diff(files.sound, files.timed);
    expect(timed.stdout).toContain('NEW  performance/health-latency');
    expect(timed.stdout).toMatch(/not compared: health: the older result has/);
  });

  it('fails on slower calls with --fail-on-slower', async () => {
    const timed = JSON.parse(readFileSync(path.join(cwd, files.timed), 'utf8')) as TestResult;
    const slowed = (factor: number): TestResult => ({
      ...timed,
      responseTimes: timed.responseTimes.map((times) =>
        isMeasurement(times)
          ? {
              ...times,
              samples: 75,
              histogram: encodeHistogram(histogramOf(Array.from({ length: 75 }, () => 10_000 * factor))),
              unreliable: [],
            }
          : times,
      ),
    });
    writeFileSync(path.join(cwd, 'quick.json'), JSON.stringify(slowed(1)));
    writeFileSync(path.join(cwd, 'slow.json'), JSON.stringify(slowed(3)));
    const reported = await diff('quick.json', 'slow.json');
    expect(reported.code).toBe(0);
    expect(reported.stdout).toContain('SLOWER  health  10.01 ms → 30.02 ms, 3.00 times');
    expect((await diff('quick.json', 'slow.json', '--fail-on-slower')).code).toBe(1);
    expect((await diff('slow.json', 'quick.json', '--fail-on-slower')).code).toBe(0);
  });

  it('prints everything as JSON', async () => {
    const { code, stdout } = await diff(files.sound, files.number, '--json');
    expect(code).toBe(1);
    const read = JSON.parse(stdout) as ResultDiff;
    expect(read).toMatchObject({ isWorse: true, sameTarget: true, before: { verdict: 'pass' } });
    expect(read.rows[0]).toMatchObject({ kind: 'worse', id: 'health/status-string' });
  });

  it('prints other formats, or writes them to a file', async () => {
    const shown = await diff(files.sound, files.number, '--format', 'markdown');
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(/^## ❌ Probity diff: WORSE\n/);
    expect((await diff(files.sound, files.number, '--format', 'json')).stdout).toBe(
      (await diff(files.sound, files.number, '--json')).stdout,
    );
    const written = await diff(files.sound, files.number, '--format', 'junit', '--output', 'new/diff.xml');
    expect(written).toMatchObject({ code: 1, stdout: '', stderr: 'written: new/diff.xml\n' });
    expect(readFileSync(path.join(cwd, 'new/diff.xml'), 'utf8')).toContain('<failure message="WORSE: passed');
    const text = await diff(files.sound, files.number, '--output', 'diff.txt');
    expect([text.code, text.stdout]).toEqual([1, '']);
    expect(readFileSync(path.join(cwd, 'diff.txt'), 'utf8')).toContain('WORSE  health/status-string');
  });

  it('refuses flags that contradict each other, and a path that cannot be written', async () => {
    expect(await diff(files.sound, files.number, '--json', '--format', 'html')).toMatchObject({
      code: 2,
      stderr: '--json and --format html contradict each other: remove one of the two.\n',
    });
    const unwritable = await diff(
      files.sound,
      files.number,
      '--format',
      'html',
      '--output',
      `${files.sound}/x`,
    );
    expect(unwritable.code).toBe(2);
    expect(unwritable.stderr).toContain('Choose another file with --output.');
    expect((await diff(files.sound, files.number, '--format', 'pdf')).code).toBe(2);
  });

  it('names a file that cannot be read', async () => {
    writeFileSync(path.join(cwd, 'none.json'), '{}');
    expect(await diff(files.sound, 'nowhere.json')).toMatchObject({
      code: 2,
      stderr: 'Cannot read nowhere.json: the file does not exist.\n',
    });
    expect((await diff('none.json', files.sound)).stderr).toMatch(/none\.json is not a test result/);
    const { stdout } = await diff('--help');
    expect(stdout).toContain('1 something got worse');
  });
});
