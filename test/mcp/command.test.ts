import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder, runCommand } from '../cli/run-command.ts';
import { isRunning } from '../cli/started.ts';
import { until } from '../eventually.ts';
import { startHttpSubject } from './http-subject.ts';
import { SUBJECT } from './subject-options.ts';

const READY = /Check the server from another terminal/;

describe('probity bridge, ended by a signal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'leaves nothing of a stubborn server behind after %s',
    async (signal) => {
      const idFile = path.join(emptyFolder(), 'ids');
      writeFileSync(idFile, '');
      let isSent = false;
      const { code, stdout, stderr } = await runCommand(
        ['bridge', '--port', '0', process.execPath, SUBJECT, JSON.stringify({ stubborn: true, idFile })],
        {
          onOutput: (said, kill) => {
            if (!READY.test(said) || isSent) return;
            isSent = true;
            kill(signal);
          },
        },
      );
      const ids = readFileSync(idFile, 'utf8').split(' ').map(Number);
      expect(ids).toHaveLength(2);
      // After SIGKILL only the supervisor is left, which ends the server a moment later.
      await until(() => !ids.some(isRunning));
      expect(stderr).toContain('connected to subject 1.2.3 over stdio, protocol 2025-11-25');
      expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
      expect(code).toBe(signal === 'SIGKILL' ? null : 0);
    },
  );
});

// Mostly they wait for processes.
describe.concurrent('probity bridge', () => {
  it('ends although a process that escaped holds the streams of the server', async () => {
    const idFile = path.join(emptyFolder(), 'ids');
    let isSent = false;
    const { code } = await runCommand(
      ['bridge', '--port', '0', process.execPath, SUBJECT, JSON.stringify({ escaping: true, idFile })],
      {
        onOutput: (said, kill) => {
          if (!READY.test(said) || isSent) return;
          isSent = true;
          kill('SIGTERM');
        },
      },
    );
    process.kill(Number(readFileSync(idFile, 'utf8')), 'SIGKILL');
    expect(code).toBe(0);
  });

  it('passes options behind the command to the command', async () => {
    const { code, stderr } = await runCommand([
      ...['bridge', '--port', '0', '--', process.execPath, '--eval'],
      ...['console.error(process.argv.slice(1).join(" ")); process.exit(7)', '--', '--port', 'x'],
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain('[server] --port x');
    expect(stderr).toContain('The server cannot be used: exit code 7');
  });

  it('says that a program does not exist', async () => {
    const { code, stderr } = await runCommand(['bridge', '--port', '0', 'no-such-program-anywhere']);
    expect(code).toBe(3);
    expect(stderr).toContain('no-such-program-anywhere');
    expect(stderr).toContain('Check that the command starts a server');
  });

  it('says that nothing answers at an address, and what answers otherwise', async () => {
    const subject = await startHttpSubject();
    const wrong = await runCommand(['bridge', '--port', '0', subject.url, '--bearer-env', 'NOT_THERE']);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Options come before the address'),
    });
    await subject.close();
    const silent = await runCommand(['bridge', '--port', '0', subject.url]);
    expect(silent.code).toBe(3);
    expect(silent.stderr).toMatch(/The server cannot be used: .*ECONNREFUSED/);
  });

  it.each([
    [['--header', 'X-Key: 1', 'node'], '--header applies only to an address'],
    [['--env', 'HOME', 'https://example.com/mcp'], '--env applies only to a command'],
    [['--env', 'NOT_THERE_AT_ALL', 'node'], 'NOT_THERE_AT_ALL is not set'],
    [['ftp://example.com/mcp'], 'Use http:// or https://'],
    [['https://me:secret@example.com/mcp'], 'without a user and a password'],
    [['--public-only', 'http://127.0.0.1:8080/mcp'], 'not on the public internet'],
  ])('refuses %j', async (args, words) => {
    const { code, stderr } = await runCommand(['bridge', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('secret@');
  });
});
