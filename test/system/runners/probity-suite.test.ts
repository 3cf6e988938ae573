import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { plannedTests, requireSuiteOptions } from '../../../src/runners/suite-options.ts';
import { loadSuites } from '../../../src/suite/load-suites.ts';
import { matchesGlob } from '../../../src/text/glob.ts';
import {
  type Breakage,
  startBrokenServer,
  statusIsNumber,
  timestampWithoutZone,
} from '../../cli/broken-server.ts';
import { emptyFolder } from '../../cli/run-command.ts';
import { deadAddress } from '../../free-port.ts';
import {
  type ReportedTest,
  RUNNERS,
  type RunnerName,
  type RunnerReport,
  runProject,
} from './small-project.ts';

const NAMES = Object.keys(RUNNERS) as readonly RunnerName[];

async function brokenServer(breakage: Breakage): Promise<string> {
  const server = await startBrokenServer(breakage);
  onTestFinished(server.close);
  return server.url;
}

function idsIn({ tests }: RunnerReport, state: ReportedTest['state']): readonly string[] {
  return [...tests].filter(([, test]) => test.state === state).map(([name]) => name.split(':', 1)[0] ?? name);
}

function textOf({ tests }: RunnerReport, id: string): string {
  return [...tests].find(([name]) => name === id || name.startsWith(`${id}: `))?.[1].text ?? '';
}

describe.each(NAMES)('probity/%s', (runner) => {
  it('registers a test for each requirement, and passes a conforming server that it starts and stops', async () => {
    const stopped = path.join(emptyFolder(), 'stopped');
    const report = await runProject(
      runner,
      `import { writeFileSync } from 'node:fs';
      probitySuite({
        start: async () => {
          const { url, close } = await startReferenceServer({ form: 'A' });
          return { url, stop: async () => { await close(); writeFileSync(${JSON.stringify(stopped)}, ''); } };
        },
        skip: ['performance/*', 'robustness/*', 'inputs/*', 'execute/*', 'errors/*', 'transport/*'],
      });`,
    );
    expect(report.code, report.output).toBe(0);
    const { registry } = await loadSuites();
    const areas = ['health/*', 'capabilities/*', 'documentation/*', 'security/*', 'texts/*'];
    const wanted = [...registry.values()]
      .filter(({ id, extra }) => extra !== true && areas.some((area) => matchesGlob(area, id)))
      .map(({ id }) => id);
    const { tests } = report;
    expect([...tests.keys()].map((name) => name.split(':', 1)[0]).sort()).toEqual(
      ['the check', ...wanted].sort(),
    );
    expect([...tests.keys()]).toContain('health/status-string: status is a string');
    expect(idsIn(report, 'skipped')).toContain('security/certificate');
    // The report in XML of Vitest has no reasons.
    expect(report.output).toContain('the address is plain http');
    expect(idsIn(report, 'failed')).toEqual([]);
    expect(existsSync(stopped)).toBe(true);
  });

  it('fails the tests of the rows that are not met or undecided, with all that a finding says', async () => {
    const url = await brokenServer(statusIsNumber);
    const report = await runProject(runner, `probitySuite({ url: '${url}', only: ['health/*'] });`);
    expect(report.code, report.output).toBe(1);
    expect(idsIn(report, 'failed')).toEqual(['health/status-string', 'health/operational']);
    const text = textOf(report, 'health/status-string');
    for (const label of ['expected:', 'received:', 'curl:', 'why:', 'fix:']) expect(text).toContain(label);
    expect(text).toContain('200 (number)');
    expect(text).toContain(`${url}/health`);
    expect(textOf(report, 'health/operational')).toMatch(/blocked: blocked by health\/status-string/);
    expect(report.output).not.toContain('dist/chunks');
  });

  it('passes warnings, unless failOn says otherwise', async () => {
    const url = await brokenServer(timestampWithoutZone);
    const suite = (more: string): string =>
      `probitySuite({ url: '${url}', only: ['health/timestamp-*'], title: 'mine', ${more} });`;
    const lenient = await runProject(runner, suite(''));
    expect(lenient.code, lenient.output).toBe(0);
    expect(idsIn(lenient, 'passed')).toContain('health/timestamp-zone');
    const strict = await runProject(runner, suite("failOn: 'should'"));
    expect(strict.code, strict.output).toBe(1);
    expect(idsIn(strict, 'failed')).toEqual(['health/timestamp-zone']);
  });

  it('reports an unreachable server once, also if a filter leaves most tests out', async () => {
    const code = `probitySuite({ url: '${await deadAddress()}', only: ['health/*'] });`;
    const whole = await runProject(runner, code);
    expect(whole.code, whole.output).toBe(1);
    expect(idsIn(whole, 'failed')).toEqual(['the check']);
    expect(textOf(whole, 'the check')).toMatch(
      /cannot be reached\.[\s\S]*ECONNREFUSED[\s\S]*Start the server/,
    );
    expect(idsIn(whole, 'passed')).toEqual([]);
    const some = await runProject(runner, code, RUNNERS[runner].only('health/timestamp'));
    expect(some.code, some.output).toBe(1);
    expect(idsIn(some, 'failed')).toHaveLength(1);
  });

  it('reports what prevents the start of the server', async () => {
    const report = await runProject(
      runner,
      `probitySuite({ start: () => { throw new Error('no database') }, only: ['health/*'] });`,
    );
    expect(report.code, report.output).toBe(1);
    expect(idsIn(report, 'failed')).toEqual(['the check']);
    expect(textOf(report, 'the check')).toContain('Nothing was checked: no database');
  });

  it('starts and checks a server of the Model Context Protocol', async () => {
    const subject = path.resolve('test/mcp/stdio-subject.mjs');
    const command = JSON.stringify(`"${process.execPath}" "${subject}"`);
    const report = await runProject(
      runner,
      `probitySuite({ mcp: ${command}, only: ['mcp/initialize-answered', 'mcp/tools-listed'] });`,
    );
    expect([...idsIn(report, 'passed')].sort()).toEqual([
      'mcp/initialize-answered',
      'mcp/tools-listed',
      'the check',
    ]);
    expect(report.code, report.output).toBe(0);
    const broken = await runProject(
      runner,
      `probitySuite({ mcp: ${JSON.stringify(`"${process.execPath}" -e 0`)}, only: ['mcp/*'] });`,
    );
    expect(broken.code, broken.output).toBe(1);
    expect(idsIn(broken, 'failed')).toEqual(['the check']);
  });

  it('fails for an id that does not exist, instead of registering nothing', async () => {
    const report = await runProject(
      runner,
      `probitySuite({ url: 'http://127.0.0.1:1', only: ['helth/*'] });`,
    );
    expect(report.code).toBe(1);
    expect(report.output).toContain('unknown requirement id');
  });
});

describe('the options of a suite', () => {
  it('are checked before a test is registered', () => {
    const cases: readonly (readonly [object, RegExp])[] = [
      [{}, /No target\./],
      [{ url: 'http://127.0.0.1:1', mcp: 'x' }, /`url` and `mcp` name several targets/],
      [{ url: 'http://127.0.0.1:1', env: ['A'] }, /`env` applies only to the command/],
      [{ mcp: 'x', directory: {} }, /`directory` needs the address/],
      [{ urll: 'http://127.0.0.1:1' }, /Did you mean `url`\?/],
      [{ start: 'npm start' }, /`start` is /],
      [{ url: 'http://127.0.0.1:1', listingGiven: true }, /unknown option `listingGiven`/],
    ];
    for (const [options, message] of cases) expect(() => requireSuiteOptions(options)).toThrow(message);
  });

  it('select the requirements, without response times unless latency is given', async () => {
    const idsOf = async (more: object): Promise<readonly string[]> =>
      (await plannedTests({ url: 'http://127.0.0.1:1', ...more })).map(({ id }) => id);
    expect((await idsOf({})).filter((id) => id.endsWith('-latency'))).toEqual([]);
    expect(await idsOf({ latency: {} })).toContain('performance/health-latency');
    expect((await idsOf({ skip: ['health/*'] })).filter((id) => id.startsWith('health/'))).toEqual([]);
    expect(await idsOf({ directory: {} })).toContain('directory/base-path');
  });
});
