import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMcpReferenceServer } from '../../../src/reference/mcp/http.ts';
import type { RunningServer } from '../../../src/reference/server.ts';
import { COMMAND, runCommand } from '../run-command.ts';

let reference: RunningServer;

beforeAll(async () => {
  reference = await startMcpReferenceServer({});
});
afterAll(() => reference.close());

// Mostly they wait for processes, and for the repeated reads of a check.
describe.concurrent('probity reference --wire mcp', () => {
  it('answers on standard streams, writes nothing else, and ends with its input', async () => {
    const server = spawn(process.execPath, [COMMAND, 'reference', '--wire', 'mcp'], { stdio: 'pipe' });
    const ended = Promise.all([text(server.stdout), text(server.stderr), once(server, 'close')]);
    server.stdin.end(
      [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"wait","arguments":{"durationMs":200}}}',
        '{"jsonrpc":"2.0","id":"cancelled","method":"tools/call","params":{"name":"wait","arguments":{"durationMs":200}}}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"cancelled"}}',
        '{"jsonrpc":"2.0","id":123456789012345678901,"method":"ping"}',
        '{"jsonrpc":',
      ].join('\n'),
    );
    const [stdout, stderr, [code]] = await ended;
    expect([code, stderr]).toEqual([0, '']);
    const [opened, ...answers] = stdout.split('\n');
    expect(JSON.parse(opened ?? '')).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } });
    expect(answers).toEqual([
      '{"jsonrpc":"2.0","id":123456789012345678901,"result":{}}',
      expect.stringMatching(/^\{"jsonrpc":"2.0","id":null,"error":\{"code":-32700,/),
      expect.stringMatching(/^\{"jsonrpc":"2.0","id":"slow","result":.*"waitedMs":200/),
      '',
    ]);
  });

  it('serves over HTTP with --port, and says how to check it', async () => {
    let second: Promise<{ readonly code: number | null; readonly stderr: string }> | null = null;
    const { code, stdout, stderr } = await runCommand(['reference', '--wire', 'mcp', '--port', '0'], {
      onOutput: (said, kill) => {
        const [, port] = /check --mcp http:\/\/127\.0\.0\.1:(\d+)\/mcp\n/.exec(said) ?? [];
        if (port === undefined || second !== null) return;
        second = runCommand(['reference', '--wire', 'mcp', '--port', port]);
        void second.then(() => kill('SIGTERM'));
      },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\n$/);
    expect(stderr).toContain('An MCP reference server. Check it');
    expect(await second).toMatchObject({ code: 2, stderr: expect.stringContaining('is in use') });
  });

  it.each([
    [['--form', 'A'], '--form applies only to --wire rest'],
    [['--base-path', '/x', '--port', '0'], '--base-path applies only to --wire rest'],
    [['--host', '127.0.0.1'], '--host applies only to HTTP. Add --port'],
    [['--wire', 'soap'], 'Allowed choices are rest, mcp'],
  ])('refuses %j', async (args, words) => {
    const { code, stdout, stderr } = await runCommand(['reference', '--wire', 'mcp', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });

  it.each(['standard streams', 'HTTP'])('passes a check over %s', async (channel) => {
    const target =
      channel === 'HTTP' ? reference.url : `"${process.execPath}" "${COMMAND}" reference --wire mcp`;
    const { code, stderr } = await runCommand(['check', '--mcp', target, '--no-latency', '--no-store']);
    expect(stderr).not.toContain('FAIL');
    expect(code).toBe(0);
  });
});
