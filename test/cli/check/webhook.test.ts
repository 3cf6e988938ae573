import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../run-command.ts';

/** Receives messages at every path, and refuses them below /refused. */
let server: Server;
let address: string;
const received: { readonly path: string; readonly body: string }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      if (path.startsWith('/hook')) received.push({ path, body });
      response.writeHead(path.startsWith('/hook/refused') ? 403 : path.startsWith('/hook') ? 200 : 404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const checked = (hook: string) =>
  runCommand(['check', address, '--no-latency', '--only', 'health/*', '--webhook-env', 'HOOK'], {
    env: { HOOK: hook, CI_JOB_URL: 'https://ci.example.com/jobs/1' },
  });

describe('--webhook-env', () => {
  test('sends the verdict, and prints nothing of the address', async () => {
    const { code, stdout, stderr } = await checked(`${address}/hook/T0-secret`);
    expect(code).toBe(1);
    const { body } = received.find(({ path }) => path === '/hook/T0-secret') ?? {};
    expect(JSON.parse(body ?? '')).toMatchObject({
      text: expect.stringContaining(`probity: FAIL ${address}`),
    });
    expect(body).toContain('https://ci.example.com/jobs/1');
    expect(stdout + stderr).not.toContain('T0-secret');
    expect(stderr).not.toContain('warning');
  });

  test('warns if the message is refused, with the same exit code', async () => {
    const { code, stdout, stderr } = await checked(`${address}/hook/refused/T1-secret`);
    expect(code).toBe(1);
    expect(stderr).toContain('the message was not sent to the webhook: it answered with status 403.');
    expect(stdout + stderr).not.toContain('T1-secret');
  });

  test.each([
    ['', 'the environment variable HOOK is not set'],
    ['T2-secret', 'the value of HOOK is not an address'],
  ])('refuses the value %j before the first request', async (value, message) => {
    const { code, stdout, stderr } = await checked(value);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stdout + stderr).not.toContain('T2-secret');
  });
});
