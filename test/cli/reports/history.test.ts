import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMAT_NAMES, renderFormat } from '../../../src/check/render/render-format.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { startReferenceServer } from '../../../src/reference/server.ts';
import { FORMAT_SUFFIXES } from '../../../src/report/generated/format-suffixes.ts';
import { readReport } from '../../../src/report/read-report.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

let reference: Awaited<ReturnType<typeof startReferenceServer>>;
let other: typeof reference;

beforeAll(async () => {
  reference = await startReferenceServer({ form: 'A' });
  other = await startReferenceServer({ form: 'B', basePath: '/a' });
});
afterAll(() => Promise.all([reference.close(), other.close()]));

const quick = ['--only', 'health/*', '--no-latency'];
const inReports = (cwd: string): readonly string[] => readdirSync(path.join(cwd, 'reports')).toSorted();

/** Copies of a stored report, as earlier runs would have left them, oldest first. */
function earlier(cwd: string, name: string, count: number): readonly string[] {
  const text = readFileSync(path.join(cwd, 'reports', name), 'utf8');
  return Array.from({ length: count }, (_, index) => {
    const copy = `2026-01-${String(index + 10)}T00-00-00Z${name.slice(20)}`;
    writeFileSync(path.join(cwd, 'reports', copy), text);
    return copy;
  });
}

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('the folder of reports', () => {
  it('keeps the newest reports of each target, with their formats, and no other file is deleted', async () => {
    const cwd = emptyFolder();
    await runCommand(['check', other.url, ...quick], { cwd });
    const [foreign = ''] = inReports(cwd);
    const others = earlier(cwd, foreign, 3);
    await runCommand(['check', reference.url, ...quick, '--format', 'html'], { cwd });
    const [first = ''] = inReports(cwd).filter(
      (name) => !others.includes(name) && name !== foreign && name.endsWith('.json'),
    );
    const [oldest = '', notes = '', newer = ''] = earlier(cwd, first, 3);
    const beside = [oldest.replace('.json', '.html'), oldest.replace('.json', '.notes.txt')];
    for (const name of beside) writeFileSync(path.join(cwd, 'reports', name), '');
    // Has the name of a report, and is none.
    writeFileSync(path.join(cwd, 'reports', notes), '{"my": "notes"}');
    await runCommand(['check', reference.url, ...quick, '--keep', '2'], { cwd });
    const left = inReports(cwd);
    expect(left).toEqual(expect.arrayContaining([foreign, ...others, first, notes, beside[1]]));
    expect(left).not.toContain(oldest);
    expect(left).not.toContain(beside[0]);
    expect(left).not.toContain(newer);
    expect(left).toHaveLength(4 + 2 + 1 + 1 + 1);
  });

  it('never deletes a file in use, and counts loads separately', async () => {
    const cwd = emptyFolder();
    const load = ['bench', reference.url, '--requests', '50', '--rate', '200', '--warm-up', '0'];
    await runCommand(load, { cwd });
    const [bench = ''] = inReports(cwd);
    expect(bench).toContain('-bench-');
    const [saved = '', gone = ''] = earlier(cwd, bench, 2);
    await runCommand(['check', reference.url, ...quick, '--keep', '1'], { cwd });
    await runCommand(['check', reference.url, ...quick, '--keep', '1'], { cwd });
    expect(inReports(cwd)).toHaveLength(4);
    await runCommand([...load, '--keep', '1', '--baseline', path.join('reports', saved)], { cwd });
    const left = inReports(cwd);
    expect(left).toContain(saved);
    expect(left).not.toContain(gone);
    expect(left).not.toContain(bench);
    expect(left).toHaveLength(3);
  });

  it('gets nothing with --no-store, and a format then needs a place', async () => {
    const cwd = emptyFolder();
    const { code, stdout } = await runCommand(['check', reference.url, ...quick, '--no-store'], { cwd });
    expect([code, readdirSync(cwd)]).toEqual([0, []]);
    expect(stdout).not.toContain('report: ');
    expect(
      await runCommand(['check', reference.url, '--no-store', '--format', 'html'], { cwd }),
    ).toMatchObject({ code: 2, stderr: expect.stringContaining('name a file with --output') });
    const demo = await runCommand(['demo', '--no-latency', '--no-store'], { cwd });
    expect([demo.code, readdirSync(cwd)]).toEqual([0, []]);
  });

  it('is only a warning if it cannot be written, for every command', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'reports'), 'a file');
    for (const args of [
      ['check', reference.url, ...quick, '--format', 'html'],
      ['bench', reference.url, '--requests', '50', '--rate', '200', '--warm-up', '0', '--json'],
      ['demo', '--no-latency'],
      ['fuzz', reference.url, '--calls', '20', '--only-reading', '--duration', '5'],
    ]) {
      const { code, stdout, stderr } = await runCommand(args, { cwd });
      expect(stderr).toMatch(
        /^warning: Cannot write the report to reports: E[A-Z]+\. Choose another folder/m,
      );
      expect(stdout).not.toBe('');
      expect([0, 4]).toContain(code);
    }
  });

  it('knows the files of every format', async () => {
    const cwd = emptyFolder();
    await runCommand(['check', reference.url, ...quick], { cwd });
    const result: TestResult = await readReport(path.join(cwd, 'reports', inReports(cwd)[0] ?? ''));
    const files = await Promise.all(FORMAT_NAMES.map((name) => renderFormat(result, name)));
    const suffixes = new Set(files.flat().map(({ suffix }) => suffix));
    suffixes.delete('.json');
    expect([...suffixes].toSorted()).toEqual(FORMAT_SUFFIXES.toSorted());
  });
});
