import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceFunctions } from '../../../src/reference/functions.ts';
import { startMcpReferenceServer } from '../../../src/reference/mcp/http.ts';
import { askingTools } from '../../../src/reference/mcp/offers/asking-tools.ts';
import type { RunningServer } from '../../../src/reference/server.ts';
import { COMMAND } from '../../cli/run-command.ts';

let server: RunningServer;

beforeAll(async () => {
  server = await startMcpReferenceServer({});
});
afterAll(() => server.close());

const TRANSPORTS: Readonly<Record<string, () => Transport>> = {
  'standard streams': () =>
    new StdioClientTransport({ command: process.execPath, args: [COMMAND, 'reference', '--wire', 'mcp'] }),
  HTTP: () => new StreamableHTTPClientTransport(new URL(server.url)),
};

const ERAS = [
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
  [{ pin: '2026-07-28' }, '2026-07-28'],
] as const;

// They wait for processes.
describe.concurrent.each(Object.keys(TRANSPORTS))('the official client over %s', (name) => {
  it.each(ERAS)('in mode %j lists and calls all tools', async (mode, revision) => {
    const transport = TRANSPORTS[name]?.();
    if (transport === undefined) throw new Error(`no transport ${name}`);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const problems: unknown[] = [];
    client.onerror = (error) => problems.push(error);
    await client.connect(transport);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toEqual({ name: 'probity-reference', version: '1.0.0' });

    const tools: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      tools.push(...page.tools.map((tool) => tool.name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(tools).toEqual([
      ...referenceFunctions.map((fn) => fn.name),
      ...askingTools.map(({ listed }) => listed.name),
    ]);

    for (const fn of referenceFunctions)
      for (const { input, output } of fn.examples) {
        const result = await client.callTool({ name: fn.name, arguments: input });
        expect(result.structuredContent).toEqual(output ?? expect.any(Object));
      }
    const failed = await client.callTool({ name: 'divide', arguments: { dividend: 1, divisor: 0 } });
    expect(failed.isError).toBe(true);
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('Unknown tool: nope');

    // A client that stops waiting cancels its request.
    const stop = new AbortController();
    const waiting = client.callTool(
      { name: 'wait', arguments: { durationMs: 200 } },
      { signal: stop.signal },
    );
    stop.abort();
    await expect(waiting).rejects.toThrow();
    expect((await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).structuredContent).toEqual({
      sum: 3,
    });
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    await client.close();
    expect(problems).toEqual([]);
  });
});
