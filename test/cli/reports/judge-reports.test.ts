import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JudgedReport } from '../../../src/report/view/targets-view.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const EXAMPLES = path.resolve(import.meta.dirname, '../../../reports/examples');
const cwd = emptyFolder();
const reports = path.join(cwd, 'reports');

beforeAll(() => {
  mkdirSync(reports);
  for (const name of ['reference-a.json', 'reference-b.json', 'broken.json', 'broken.ctrf.json'])
    cpSync(path.join(EXAMPLES, name), path.join(reports, name));
});

const judge = (...args: readonly string[]) => runCommand(['judge', ...args], { cwd });

describe('probity judge with several reports', () => {
  it('prints a line for each report of a folder, and the worst exit code', async () => {
    const { code, stdout, stderr } = await judge('reports');
    expect(code).toBe(1);
    expect(stderr).toBe('');
    const lines = stdout.split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^FAIL {9}reports\/broken\.json {7}\d+ passed, \d+ failed/);
    expect(lines[1]).toMatch(/^PASS {9}reports\/reference-a\.json {2}\d+ passed/);
    expect(lines[2]).toMatch(/^PASS {9}reports\/reference-b\.json {2}\d+ passed/);
    expect(lines[4]).toBe('3 reports: 2 pass, 1 fail');
  });

  it('decides each as if it were judged alone', async () => {
    const [alone, together] = await Promise.all([
      judge('reports/broken.json', '--json'),
      judge('reports/broken.json', 'reports/reference-a.json', '--json'),
    ]);
    const { verdict, reachable, summary } = JSON.parse(alone.stdout) as Record<string, unknown>;
    const { reports: judged } = JSON.parse(together.stdout) as { reports: readonly JudgedReport[] };
    expect(judged[0]).toEqual({
      kind: 'judged',
      file: 'reports/broken.json',
      verdict,
      reachable,
      summary,
      saved: { verdict, reachable },
    });
    expect(judged).toHaveLength(2);
  });

  it('names a file that cannot be judged, and judges the others', async () => {
    const folder = path.join(cwd, 'mixed');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'a\u001B[2J.json'), '{"schema":1}');
    writeFileSync(path.join(folder, 'cut.json'), '{');
    cpSync(path.join(EXAMPLES, 'reference-b.json'), path.join(folder, 'good.json'));
    const { code, stdout } = await judge('mixed', 'missing.json');
    expect(code).toBe(2);
    expect(stdout).toMatch(/^NOT JUDGED {3}mixed\/a\\e\[2J\.json +.*is not a test result/m);
    expect(stdout).toMatch(/^NOT JUDGED {3}mixed\/cut\.json +.*is not JSON/m);
    expect(stdout).toMatch(/^NOT JUDGED {3}missing\.json +Cannot read missing\.json/m);
    expect(stdout).toMatch(/^PASS {9}mixed\/good\.json/m);
    expect(stdout).toMatch(/^4 reports: 1 pass, 3 not judged$/m);
    expect(stdout).not.toContain('\u001B');
  });

  it('says where the verdict is another one than in the file', async () => {
    const saved = JSON.parse(readFileSync(path.join(EXAMPLES, 'reference-a.json'), 'utf8'));
    const exchanges = saved.exchanges.map((exchange: { request: { key: string }; response: object }) =>
      exchange.request.key.startsWith('health/read')
        ? { ...exchange, response: { ...exchange.response, status: 500 } }
        : exchange,
    );
    writeFileSync(path.join(cwd, 'changed.json'), JSON.stringify({ ...saved, exchanges }));
    const { code, stdout } = await judge('changed.json', 'reports/reference-a.json', '--quiet');
    expect(code).toBe(1);
    expect(stdout).toBe('2 reports: 1 pass, 1 fail; 1 verdict changed\n');
    expect((await judge('changed.json', 'changed.json')).stdout).toMatch(/^FAIL .*\(it was PASS\)$/m);
  });

  it('refuses a folder without reports, and reports mistakes in a suite once', async () => {
    mkdirSync(path.join(cwd, 'empty'));
    expect(await judge('empty')).toMatchObject({
      code: 2,
      stderr: 'empty: no report of a check. Name reports, or the folder of --reports.\n',
    });
    const { code, stderr } = await judge('reports', '--suite', 'none.suite.yaml');
    expect(code).toBe(2);
    expect(stderr.match(/none\.suite\.yaml/g)).toHaveLength(1);
  });
});
