import { existsSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../../free-port.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const ONE_REQUEST = ['--only', 'health/status-200', '--no-latency'];
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

/** Answers with each of the statuses in turn, and with the last one from then on. */
function answering(
  statuses: readonly number[],
  seen: (request: http.IncomingMessage) => void = () => undefined,
) {
  let count = 0;
  const server = http.createServer((request, response) => {
    seen(request);
    const status = statuses[Math.min(count, statuses.length - 1)] ?? 200;
    count += 1;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 'ok', uptime: count, timestamp: new Date().toISOString() }));
  });
  closers.push(() => server.close());
  return server;
}

async function urlOf(server: http.Server, port = 0): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('probity check --wait', () => {
  it('waits for a starting server behind a proxy that answers 503', async () => {
    const port = await freePort();
    const server = answering([502, 503, 200]);
    let listens = false;
    const { code, stderr } = await runCommand(
      ['check', `http://127.0.0.1:${port}`, '--wait', '10m', ...ONE_REQUEST],
      {
        onOutput: (text) => {
          if (listens || !text.includes('waiting')) return;
          listens = true;
          server.listen(port, '127.0.0.1');
        },
      },
    );
    expect(stderr).toContain('waiting up to 600 s');
    expect(code).toBe(0);
  });

  it('reports the last failure and advice if nothing answers', async () => {
    const cwd = emptyFolder();
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await runCommand(['check', url, '--wait', '300ms'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^UNREACHABLE {2}\S+: the connection was refused/);
    expect(stderr).toMatch(
      /answered GET \/health within 0\.3 s\. The last failure: the connection was refused/,
    );
    expect(stderr).toMatch(/Start the server, check the address, or give it more time with --wait\./);
  });

  it('checks a server that answers incorrectly', async () => {
    const url = await urlOf(answering([500]));
    const { code, stdout, stderr } = await runCommand(['check', url, '--wait', '5s', ...ONE_REQUEST]);
    expect(stderr).toContain('(the last answer: status 500). The check runs anyway.');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ health/status-200');
  });

  it('uses the time of the configuration and the headers of the check', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'probity.config.yaml'), 'config: v1\nwaitSeconds: 600\nbearerEnv: KEY\n');
    const seen: string[] = [];
    const server = answering([503, 200], ({ url, headers }) => seen.push(`${url} ${headers.authorization}`));
    const { code } = await runCommand(['check', await urlOf(server), ...ONE_REQUEST], {
      cwd,
      env: { KEY: 'canary-bearer-1234' },
    });
    expect(code).toBe(0);
    expect(seen.slice(0, 2)).toEqual(Array(2).fill('/health Bearer canary-bearer-1234'));
  });

  it('ends when it is interrupted', async () => {
    const cwd = emptyFolder();
    let sent = false;
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await runCommand(['check', url, '--wait', '60m'], {
      cwd,
      onOutput: (text, kill) => {
        if (sent || !text.includes('waiting')) return;
        sent = true;
        kill('SIGINT');
      },
    });
    expect(code).toBe(4);
    expect(stderr).toContain('The wait was interrupted, and nothing was checked.');
  });

  it('reports wrong arguments without waiting', async () => {
    const cases: readonly (readonly string[])[] = [
      ['ftp://example.com'],
      ['http://127.0.0.1:1', '--only', 'helth/status-200'],
      ['http://127.0.0.1:1', '--header', 'Content-Length: 3'],
      ['http://127.0.0.1:1', '--public-only'],
    ];
    for (const args of cases) {
      const { code, stderr } = await runCommand(['check', ...args, '--wait', '1000m']);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).not.toContain('waiting');
    }
    const { stderr } = await runCommand(['check', 'http://127.0.0.1:1', '--wait', 'long']);
    expect(stderr).toContain('Give a time from 1ms to 1440m, such as 500ms, 30');
  });
});

describe('probity bench --wait', () => {
  it('waits before it puts the server under load', async () => {
    const cwd = emptyFolder();
    const url = await urlOf(answering([503, 503, 200]));
    const args = ['bench', url, '--wait', '10m', '--requests', '5', '--warm-up', '0'];
    const { stderr } = await runCommand(args, { cwd });
    expect(stderr).toMatch(/waiting up to 600 s.*\nputting/);
    expect(existsSync(path.join(cwd, 'reports'))).toBe(true);
  });
});
