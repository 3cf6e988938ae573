import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startServer } from '../../../src/processes/started-server.ts';
import { startReferenceServer } from '../../../src/reference/server.ts';
import { until } from '../../eventually.ts';
import { emptyFolder, runCommand } from '../run-command.ts';
import {
  endWhatIsLeft,
  notedIds,
  runningIds,
  serverToStart,
  supervisorOf,
  type ToStart,
} from '../started.ts';

afterAll(endWhatIsLeft);

const unchanged = (text: string): string => text;

const ONE_REQUEST = ['--only', 'health/status-200', '--no-latency'];

function check({ cwd, port, url, command }: ToStart, mode: string, args: readonly string[] = ONE_REQUEST) {
  return runCommand(['check', url, '--start', command, ...args], {
    cwd,
    env: { PORT: String(port), MODE: mode },
  });
}

// Mostly they wait for processes.
describe.concurrent('probity check --start', () => {
  it('starts the server, checks it, and ends all of its processes, even one that left its group', async () => {
    const server = await serverToStart();
    const { code, stdout, stderr } = await check(server, 'daemon');
    expect(stderr).toContain('the server is started; waiting up to 30 s');
    expect(code).toBe(0);
    expect(stdout).not.toContain('received /');
    expect(stderr).not.toContain('received /');
    expect(notedIds(server.cwd)).toHaveLength(2);
    expect(runningIds(server.cwd)).toEqual([]);
  });

  it('ends although a process that escaped holds the output of the server', async () => {
    const { cwd, port, url, command } = await serverToStart();
    const { code } = await runCommand(['check', url, '--start', command, ...ONE_REQUEST], {
      cwd,
      env: { PORT: String(port), MODE: 'escaping' },
      // What keeps the process running shows only at its end.
      isAlone: true,
    });
    expect(code).toBe(0);
    // Nothing shows whose process it is.
    const left = runningIds(cwd);
    expect(left).toEqual(notedIds(cwd).slice(1));
    for (const id of left) process.kill(id, 'SIGKILL');
  });

  it('ends them after a failed check too, and prints the server’s output', async () => {
    const server = await serverToStart();
    const { code, stdout, stderr } = await check(server, 'failing daemon');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ health/status-200');
    expect(stdout).not.toContain('received /');
    expect(stderr).toMatch(/The last output of the started server:\n {2}received \/health\n/);
    expect(runningIds(server.cwd)).toEqual([]);
  });

  it('prints no token that the server prints', async () => {
    const { url, cwd } = await serverToStart();
    const { code, stderr } = await runCommand(
      ['check', url, '--start', 'echo "called with $KEY"; exit 4', '--bearer-env', 'KEY'],
      { cwd, env: { KEY: 'a-secret-of-the-user' } },
    );
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('called with $PROBITY_TOKEN'),
    });
    expect(stderr).not.toContain('a-secret-of-the-user');
  });

  it('ends them if the check after the start fails', async () => {
    const server = await serverToStart();
    const { code, stderr } = await check(server, 'silent', [...ONE_REQUEST, '--timeout', '3']);
    expect({ code, stderr }).toMatchObject({ code: 3 });
    expect(notedIds(server.cwd)).toHaveLength(1);
    expect(runningIds(server.cwd)).toEqual([]);
  });

  it('ends at once when the command does, and replaces the reports of an earlier run', async () => {
    const server = await serverToStart();
    const file = path.join(server.cwd, 'j.xml');
    writeFileSync(file, 'of an earlier run');
    const command = `"${process.execPath}" -e "console.error('no \\u001b[31mdatabase'); process.exit(7)"`;
    const args = ['--wait', '20m', '--format', 'junit,markdown', '--output'];
    const { code, stdout, stderr } = await check({ ...server, command }, '', [...args, `${server.cwd}/`]);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^UNREACHABLE {2}\S+: the command of --start ended before GET \/health was answered: exit code 7\n/,
    );
    expect(stderr).toContain('ended before GET /health was answered: exit code 7');
    expect(stderr).toContain('  no \\e[31mdatabase');
    expect(readFileSync(path.join(server.cwd, 'probity.junit.xml'), 'utf8')).toContain('"UNREACHABLE"');
    expect(readFileSync(path.join(server.cwd, 'probity.md'), 'utf8')).toContain('Probity: UNREACHABLE');
    const alone = ['--format', 'junit', '--output', file];
    await check({ ...server, command: '/no/such/program' }, '', alone);
    expect(readFileSync(file, 'utf8')).toContain('ended before GET /health was answered: exit code 127');
  });

  it('reports a failed start as JSON, as a change in a watch, and with a baseline', async () => {
    const { url, cwd } = await serverToStart();
    writeFileSync(path.join(cwd, 'b.yaml'), 'baseline: v1\naccepted: []\n');
    const start = [url, '--start', 'exit 3'];
    const { code, stdout } = await runCommand(['check', ...start, '--baseline', 'b.yaml', '--json'], { cwd });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ reachable: false, target: { url } });
    const watched = await runCommand(['watch', ...start, '--format', 'junit', '--output', 'j.xml'], { cwd });
    expect(watched.stdout).toMatch(/^UNREACHABLE /);
    expect(readFileSync(path.join(cwd, 'j.xml'), 'utf8')).toContain('"UNREACHABLE"');
  });

  it('keeps waiting if the command starts its server in the background', async () => {
    const server = await serverToStart();
    const { code } = await check({ ...server, command: `${server.command} &` }, '');
    expect(code).toBe(0);
    expect(runningIds(server.cwd)).toEqual([]);
  });

  it('reports that the server ended during the check', async () => {
    const server = await serverToStart();
    const { code, stdout, stderr } = await check(server, 'dying daemon');
    expect(stderr).toContain('The started server ended: exit code 9.');
    expect(stdout).toContain('UNREACHABLE');
    expect(code).toBe(3);
    expect(runningIds(server.cwd)).toEqual([]);
  });

  it('takes no command from a configuration', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'probity.config.yaml'), 'config: v1\nstart: echo x > started\n');
    const { code, stderr } = await runCommand(['check', 'http://127.0.0.1:1'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('[unknown-key]');
    expect(existsSync(path.join(cwd, 'started'))).toBe(false);
  });

  it('refuses to check a server that was already running', async () => {
    const other = await startReferenceServer({ form: 'B' });
    const cwd = emptyFolder();
    const { code, stderr } = await runCommand(['check', other.url, '--start', 'echo x > started'], { cwd });
    await other.close();
    expect(code).toBe(2);
    expect(stderr).toContain('Another server already uses');
    expect(existsSync(path.join(cwd, 'started'))).toBe(false);
  });

  it('refuses to start one if another server accepts connections but is slow', async () => {
    const other = net.createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const cwd = emptyFolder();
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, stderr } = await runCommand(['check', url, '--start', 'echo x > started'], { cwd });
    other.close();
    expect(code).toBe(2);
    expect(stderr).toMatch(/already uses .*connections are accepted, but no answer within 2 s/);
    expect(existsSync(path.join(cwd, 'started'))).toBe(false);
  });

  it('refuses a blank command', async () => {
    const { code, stderr } = await runCommand(['check', 'http://127.0.0.1:1', '--start', ' ']);
    expect(code).toBe(2);
    expect(stderr).toContain('Give the command that starts the server.');
  });

  it('starts nothing if another argument is wrong', async () => {
    const cwd = emptyFolder();
    const args = ['check', 'http://127.0.0.1:1', '--start', 'echo x > started', '--only', 'helth/status-200'];
    expect(await runCommand(args, { cwd })).toMatchObject({ code: 2 });
    expect(existsSync(path.join(cwd, 'started'))).toBe(false);
  });
});

describe('probity check --start, when it ends', () => {
  it.each([
    ['one ctrl-C', ['SIGINT'], /interrupted/],
    ['two of them', ['SIGINT', 'SIGINT'], /interrupted/],
    ['SIGTERM', ['SIGTERM'], /interrupted/],
    ['a terminal that is closed', ['SIGHUP'], /checking/],
    ['SIGKILL', ['SIGKILL'], /checking/],
  ] as const)('leaves nothing behind after %s', async (_name, signals, said) => {
    const server = await serverToStart();
    const left = [...signals];
    const { stderr } = await runCommand(
      ['check', server.url, '--start', server.command, ...ONE_REQUEST, '--timeout', '50'],
      {
        cwd: server.cwd,
        env: { PORT: String(server.port), MODE: 'silent daemon' },
        onOutput: (text, kill) => {
          if (!text.includes('checking')) return;
          if (left.length === signals.length || text.includes('interrupted')) {
            const signal = left.shift();
            if (signal !== undefined) kill(signal);
          }
        },
      },
    );
    expect(stderr).toMatch(said);
    expect(notedIds(server.cwd)).toHaveLength(2);
    await until(() => runningIds(server.cwd).length === 0);
  });

  it('ends a server that never answers', async () => {
    const server = await serverToStart();
    const { code, stderr } = await check({ ...server, port: 0 }, '', ['--wait', '1s']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/answered GET \/health within 1 s.*nothing listens there.*Check that the command/);
    await until(() => runningIds(server.cwd).length === 0);
  });
});

describe('a started server', () => {
  it('is killed if it does not end within the grace period', async () => {
    const { cwd, command, port } = await serverToStart();
    const server = startServer(`cd "${cwd}" && MODE="deaf daemon" PORT=${port} ${command}`, unchanged, 50);
    await until(() => notedIds(cwd).length === 2);
    await server.stop();
    expect(runningIds(cwd)).toEqual([]);
  });

  it('is ended even if its supervisor is killed', async () => {
    const { cwd, command, port } = await serverToStart();
    const server = startServer(`cd "${cwd}" && MODE=daemon PORT=${port} ${command}`, unchanged, 5000);
    await until(() => notedIds(cwd).length === 2);
    process.kill(supervisorOf(notedIds(cwd)[0] ?? 0), 'SIGKILL');
    expect((await server.ended).exit).toContain('its supervisor process was ended');
    // The kernel ends a killed process a moment after the signal.
    await until(() => runningIds(cwd).length === 0);
    expect(runningIds(cwd)).toEqual([]);
    await server.stop();
  });

  it('reports how its command ended and its last output', async () => {
    const server = startServer('echo one; echo two >&2; exit 4', unchanged);
    expect(await server.ended).toMatchObject({ exit: 'exit code 4', output: expect.stringContaining('two') });
    await server.stop();
  });
});
