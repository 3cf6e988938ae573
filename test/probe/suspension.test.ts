import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { COMMAND, emptyFolder } from '../cli/run-command.ts';
import { unless } from '../set-up/skips.ts';

/** Long enough for an immediate answer on a busy machine. */
const TIMEOUT_MS = 6000;
const SUSPENDED_MS = TIMEOUT_MS + 1500;

const servers: Server[] = [];

afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

/** A check process that can be suspended and resumed. */
interface Client {
  /** Resolves when the process is suspended. */
  stop(): Promise<void>;
  resume(): void;
}

async function check(listener: (client: Client) => RequestListener): Promise<TestResult> {
  let pid = 0;
  const client: Client = {
    stop: async () => {
      process.kill(pid, 'SIGSTOP');
      while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await delay(1);
    },
    resume: () => process.kill(pid, 'SIGCONT'),
  };
  const server = createServer(listener(client));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const folder = emptyFolder();
  const flags = [
    '--only',
    'health/reachable',
    '--timeout',
    `${TIMEOUT_MS}ms`,
    '--deadline',
    '3600s',
    '--json',
  ];
  const args = [COMMAND, 'check', `http://127.0.0.1:${port}`, ...flags, '--reports', folder];
  // In a group of its own, so that nothing but the test resumes it.
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  pid = child.pid ?? 0;
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(stdout) as TestResult;
}

/** Passes the first request to `first`; answers all others at once. */
function firstOnly(first: (answer: () => void, client: Client) => Promise<void>) {
  return (client: Client): RequestListener => {
    let requests = 0;
    return (_request, response) => {
      requests += 1;
      const answer = (): void => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      };
      if (requests === 1) void first(answer, client);
      else answer();
    };
  };
}

function decided({ results, findings }: TestResult) {
  const row = results.find(({ id }) => id === 'health/reachable');
  return {
    outcome: row?.outcome,
    findings: findings.map(({ fault, received }) => `${fault}: ${received}`),
  };
}

const PASSED = { outcome: 'passed', findings: [] };

describe.concurrent(
  'a check that is suspended for longer than its time-out',
  unless(process.platform === 'linux' ? null : 'no /proc, which only Linux has'),
  () => {
    test('reads an answer that arrived meanwhile', async () => {
      const listener = firstOnly(async (answer, client) => {
        await client.stop();
        answer();
        await delay(SUSPENDED_MS);
        client.resume();
      });
      expect(decided(await check(listener))).toEqual(PASSED);
    });

    test('waits for an answer that arrives afterwards', async () => {
      const listener = firstOnly(async (answer, client) => {
        await client.stop();
        await delay(SUSPENDED_MS);
        client.resume();
        await delay(TIMEOUT_MS / 10);
        answer();
      });
      expect(decided(await check(listener))).toEqual(PASSED);
    });

    test('does not blame the server if no answer arrives', async () => {
      const listener = firstOnly(async (_answer, client) => {
        await client.stop();
        await delay(SUSPENDED_MS);
        client.resume();
      });
      expect(decided(await check(listener))).toEqual({
        outcome: 'undecided',
        findings: ['harness: none: client-suspended'],
      });
    });
  },
);

test.concurrent('a server that never answers is blamed if the check was not suspended', async () => {
  const listener = firstOnly(async () => undefined);
  expect(decided(await check(listener))).toEqual({ outcome: 'failed', findings: ['server: none: timeout'] });
});
