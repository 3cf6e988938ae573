import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../eventually.ts';
import { startBrokenServer, statusIsNumber } from '../broken-server.ts';
import { emptyFolder, runCommand } from '../run-command.ts';
import { endWhatIsLeft, notedIds, runningIds, serverToStart } from '../started.ts';
import { replace, startWatching } from '../watching.ts';

const ONE_REQUEST = ['--only', 'health/status-200', '--no-latency'];
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
  endWhatIsLeft();
});

/** A server whose answers a test defines. */
async function servedBy(answer: (response: http.ServerResponse) => void): Promise<string> {
  const server = http.createServer((_request, response) => answer(response));
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer(response: http.ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end('{"status":"ok"}');
}

describe('probity watch', () => {
  it('checks again on a key press, prints what changed, and quits on a key press', async () => {
    let status = 200;
    const url = await servedBy((response) => answer(response, status));
    const watching = startWatching([url, ...ONE_REQUEST], emptyFolder());
    await until(() => watching.times('waiting: Enter or r starts a check, q quits') === 1);
    status = 500;
    watching.write('\n');
    await until(() => watching.times('waiting:') === 2);
    expect(watching.printed()).toMatch(
      /Since the last check:[\s\S]*WORSE {2}health\/status-200 {2}passed → failed/,
    );
    watching.write('r\n');
    await until(() => watching.times('waiting:') === 3);
    expect(watching.printed()).toContain('Nothing changed since the last check.');
    watching.write('q\n');
    expect(await watching.finished).toBe(1);
  });

  it('names what a changed baseline accepts, or no longer accepts', async () => {
    const cwd = emptyFolder();
    const baseline = path.join(cwd, 'known.yaml');
    const { url, close } = await startBrokenServer(statusIsNumber);
    closers.push(close);
    const only = [url, '--only', 'health/status-*', '--no-latency'];
    await runCommand(['check', ...only, '--format', 'json', '--output', 'result.json'], { cwd });
    await runCommand(['baseline', 'result.json', '--reason', 'known', '--output', baseline], { cwd });
    const accepting = readFileSync(baseline, 'utf8');
    const watching = startWatching([...only, '--baseline', baseline], cwd);
    await until(() => watching.times('waiting:') === 1);
    replace(baseline, `${accepting.slice(0, accepting.indexOf('accepted:'))}accepted: []\n`);
    await until(() => watching.times('waiting:') === 2);
    const words = 'health/status-string fails as before, and the baseline';
    expect(watching.printed()).toContain(`${words} no longer accepts it.`);
    replace(baseline, accepting);
    await until(() => watching.times('waiting:') === 3);
    expect(watching.printed()).toContain(`${words} accepts it now.`);
    expect(watching.printed()).not.toContain('Nothing changed');
    watching.write('q\n');
    expect(await watching.finished).toBe(0);
  });

  it('checks again when the configuration is replaced, and survives an invalid one', async () => {
    const cwd = emptyFolder();
    const config = path.join(cwd, 'probity.config.yaml');
    writeFileSync(config, 'config: v1\nonly: [health/status-200]\n');
    const url = await servedBy((response) => answer(response, 200));
    // Its input ends at the start; the watched file keeps it running.
    const watching = startWatching([url, '--no-latency'], cwd, { stdin: 'ignore' });
    await until(
      () => watching.times('waiting: a change of probity.config.yaml starts a check; ctrl-C quits') === 1,
    );
    replace(config, 'config: v1\nonli: [health/status-200]\n');
    await until(() => watching.times('waiting:') === 2);
    expect(watching.printed()).toContain('changed: probity.config.yaml');
    expect(watching.printed()).toContain('Did you mean "only"?');
    replace(config, 'config: v1\nonly: [health/status-200, health/operational]\n');
    await until(() => watching.times('waiting:') === 3);
    expect(watching.times('Since the last check:')).toBe(1);
    watching.kill('SIGINT');
    expect(await watching.finished).toBe(0);
  });

  it.each(['keys', 'files'])(
    'checks exactly once more, however many %s request it during a check',
    async (what) => {
      const cwd = emptyFolder();
      const file = path.join(cwd, 'watched.txt');
      writeFileSync(file, '0');
      const held: http.ServerResponse[] = [];
      let holds = true;
      const url = await servedBy((response) => {
        if (holds) held.push(response);
        else answer(response, 200);
      });
      const watching = startWatching([url, ...ONE_REQUEST, '--watch', 'watched.txt'], cwd);
      await until(() => held.length > 0);
      if (what === 'keys') watching.write('r\nr\nr\n');
      else for (const text of ['1', '2', '3']) writeFileSync(file, text);
      holds = false;
      for (const response of held) answer(response, 200);
      await until(() => watching.times('waiting:') === 2);
      watching.write('q\n');
      await watching.finished;
      expect(watching.times('checking http')).toBe(2);
    },
  );

  it('restarts the server when one of its files changes, and leaves none running', async () => {
    const { cwd, port, url, command } = await serverToStart();
    const file = path.join(cwd, 'server.mjs');
    const watching = startWatching([url, ...ONE_REQUEST, '--start', command, '--watch', 'server.mjs'], cwd, {
      env: { PORT: String(port) },
    });
    await until(() => watching.times('waiting: ') === 1);
    const [first] = notedIds(cwd);
    expect(runningIds(cwd)).toEqual([first]);
    replace(file, readFileSync(file, 'utf8').replace("'failing'", "''"));
    await until(() => watching.times('waiting: ') === 2);
    expect(watching.printed()).toMatch(/WORSE {2}health\/status-200 {2}passed → failed/);
    expect(runningIds(cwd)).toEqual(notedIds(cwd).slice(1));
    watching.kill('SIGTERM');
    await watching.finished;
    expect(runningIds(cwd)).toEqual([]);
  });

  it('ends after one check if its input ended and nothing is watched', async () => {
    const url = await servedBy((response) => answer(response, 200));
    const { code, stdout } = await runCommand(['watch', url, ...ONE_REQUEST], { isAlone: true });
    expect(code).toBe(0);
    expect(stdout).toContain('PASS');
  });

  it('does not offer what it refuses', async () => {
    const { stdout } = await runCommand(['watch', '--help']);
    expect(stdout).toContain('--watch <path>');
    expect(stdout).not.toContain('--json');
  });

  it('refuses impossible options', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--json'], /--json prints a single result/],
      [['--watch', 'nowhere'], /--watch: nowhere does not exist/],
      [['--only', 'helth/status-200'], /Did you mean "health\/status-200"\?/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await runCommand(['watch', 'http://127.0.0.1:1', ...args]);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toMatch(message);
    }
  });
});
