import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { startReferenceServer } from '../../src/reference/server.ts';
import { emptyWorkspace, runAction } from '../action/run-action.ts';
import { COMMAND } from '../cli/run-command.ts';
import { freePort } from '../free-port.ts';

async function answers(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

describe('the action with all formats, a server that it starts, and a baseline', () => {
  it('starts the server, waits for it, writes everything, and stops the server', async () => {
    const workspace = emptyWorkspace();
    const port = await freePort();
    const { code, log, summary, outputs } = await runAction(
      {
        url: `http://127.0.0.1:${port}`,
        start: `"${process.execPath}" "${COMMAND}" reference --port ${port}`,
        wait: '30s',
        formats: 'html,junit,sarif,markdown,github,badge,tap,ctrf,codequality,har',
        args: '--no-latency',
      },
      { workspace },
    );
    expect(code, log).toBe(0);
    const { verdict, 'exit-code': exitCode, worse, diff, ...files } = outputs;
    expect({ verdict, exitCode, worse, diff }).toEqual({
      verdict: 'pass',
      exitCode: '0',
      worse: '',
      diff: '',
    });
    expect(files).toEqual({
      report: 'probity-reports/probity.json',
      html: 'probity-reports/probity.html',
      junit: 'probity-reports/probity.junit.xml',
      sarif: 'probity-reports/probity.sarif',
      markdown: 'probity-reports/probity.md',
      badge: 'probity-reports/probity.badge.svg',
      tap: 'probity-reports/probity.tap',
      ctrf: 'probity-reports/probity.ctrf.json',
      codequality: 'probity-reports/probity.codequality.json',
      har: 'probity-reports/probity.har',
    });
    for (const file of Object.values(files)) expect(existsSync(path.join(workspace, file)), file).toBe(true);
    expect(summary).toContain('Probity: PASS');
    expect(await answers(port)).toBe(false);
  });

  it('writes the files for code scanning, test reports and a comment', async () => {
    const port = await freePort();
    const start = `"${process.execPath}" "${COMMAND}" reference --port ${port}`;
    const inputs = { url: `http://127.0.0.1:${port}`, start, wait: '30s', args: '--only=health/*' };
    const { code, log, outputs } = await runAction(inputs);
    expect(code, log).toBe(0);
    const written = Object.entries(outputs).filter(([, value]) => value !== '');
    expect(written.map(([name]) => name).toSorted()).toEqual([
      'exit-code',
      'html',
      'junit',
      'markdown',
      'report',
      'sarif',
      'verdict',
    ]);
  });

  it('fails if the started server ends at once or does not answer in time', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    for (const inputs of [{ start: 'exit 9', wait: '30s' }, { wait: '1s' }]) {
      const workspace = emptyWorkspace();
      const { code, log, outputs } = await runAction({ url, ...inputs }, { workspace });
      expect(code, log).toBe(3);
      expect(outputs).toMatchObject({ verdict: 'unreachable', 'exit-code': '3' });
      const report = readFileSync(path.join(workspace, outputs.report ?? ''), 'utf8');
      expect(JSON.parse(report)).toMatchObject({ verdict: 'fail' });
      expect(log).toMatch(/^::error title=Probity::Nothing was checked/m);
    }
  });

  it('passes on the baseline, which fails if it contains a finding that no longer occurs', async () => {
    const workspace = emptyWorkspace();
    writeFileSync(
      path.join(workspace, 'known defects.yaml'),
      `baseline: v1
accepted:
  - requirement: health/status-200
    fingerprint: "0123456789abcdef"
    reason: known
    until: "9999-12-31"
`,
    );
    const reference = await startReferenceServer({ form: 'B' });
    const inputs = {
      url: reference.url,
      baseline: 'known defects.yaml',
      formats: 'markdown,github',
      args: '--only=health/*',
    };
    const { code, log, outputs } = await runAction(inputs, { workspace });
    await reference.close();
    expect(code, log).toBe(1);
    expect(outputs.verdict).toBe('fail');
    expect(log).toMatch(/^::error title=baseline%2C no longer occurs%3A health\/status-200::/m);
  });

  it('runs the start command unchanged in the workspace', async () => {
    const workspace = emptyWorkspace();
    const port = await freePort();
    writeFileSync(path.join(workspace, 'port'), String(port));
    const inputs = {
      url: `http://127.0.0.1:${port}`,
      start: `"${process.execPath}" "${COMMAND}" reference --port "$(cat port)"`,
      wait: '30s',
      args: '--only=health/*',
    };
    const { code, log, outputs } = await runAction(inputs, { workspace });
    expect(code, log).toBe(0);
    const result = JSON.parse(readFileSync(path.join(workspace, outputs.report ?? ''), 'utf8')) as TestResult;
    expect(result.verdict).toBe('pass');
  });
});
