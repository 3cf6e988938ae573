import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/check/render/render-format.ts';
import { type RunningServer, startReferenceServer } from '../../src/reference/server.ts';
import { emptyWorkspace, ROOT, runAction } from './run-action.ts';

const SCRIPT = path.join(ROOT, 'scripts/make-action.mjs');

describe('a release of the action', () => {
  let reference: RunningServer;
  const actionPath = emptyWorkspace();

  beforeAll(async () => {
    reference = await startReferenceServer({ form: 'B' });
    execFileSync(process.execPath, [SCRIPT, actionPath], { stdio: ['ignore', 'ignore', 'inherit'] });
  });

  afterAll(() => reference.close());

  it('checks a server from an empty folder, and outputs the file of each format', async () => {
    const workspace = emptyWorkspace();
    const inputs = {
      url: reference.url,
      formats: FORMAT_NAMES.join(','),
      args: '--no-latency',
    };
    const { code, log, outputs } = await runAction(inputs, { workspace, actionPath });
    expect(code, log).toBe(0);
    for (const format of FORMAT_NAMES.filter((name) => name !== 'github' && name !== 'json'))
      expect(existsSync(path.join(workspace, outputs[format] || 'missing')), format).toBe(true);
  });

  it('compares with the report of the base branch', async () => {
    const workspace = emptyWorkspace();
    const inputs = { url: reference.url, formats: 'json', args: '--only=health/*' };
    await runAction({ ...inputs, reports: 'base' }, { workspace, actionPath });
    const { log, outputs } = await runAction({ ...inputs, base: 'base' }, { workspace, actionPath });
    expect(outputs.worse, log).toBe('false');
  });

  it('contains no sources and no installed packages', () => {
    const entries = readdirSync(actionPath);
    expect(entries).toEqual(
      expect.arrayContaining(['action', 'action.yml', 'dist', 'package.json', 'LICENSE']),
    );
    for (const entry of ['node_modules', 'src', 'test']) expect(entries).not.toContain(entry);
  });

  it('is not mixed with other files', () => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, actionPath], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain('is not empty');
  });
});
