import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, type TestContext } from 'vitest';
import type { JsonObject } from '../../../src/model/json.ts';
import { startHttpSubject } from '../../mcp/http-subject.ts';
import { BRIDGE_MUTANTS, type BridgeMutant } from './bridge-mutants.ts';
import { checkSubject } from './checked-subject.ts';

function parsed(body: string): JsonObject | null {
  try {
    return JSON.parse(body) as JsonObject;
  } catch {
    return null;
  }
}

/** Stands between the harness and a bridge that it makes defective. */
async function startDefect(
  { path, change }: BridgeMutant,
  bridgeUrl: string,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
): Promise<string> {
  const server = http.createServer((request, response) => {
    void (async () => {
      const sent = await text(request);
      const answer = await fetch(`${bridgeUrl}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
        ...(request.method === 'POST' ? { body: sent } : {}),
      });
      const body = await answer.text();
      const original = {
        status: answer.status,
        type: answer.headers.get('content-type') ?? '',
        body: parsed(body) ?? body,
      };
      const changed = request.url === path ? change(original, parsed(sent)) : original;
      if (changed === null) return void request.socket.destroy();
      response.writeHead(changed.status, { 'content-type': changed.type });
      response.end(typeof changed.body === 'string' ? changed.body : JSON.stringify(changed.body));
    })().catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.concurrent('a bridge with a defect is blamed, and not its server', () => {
  it.for(BRIDGE_MUTANTS.map((mutant) => [mutant.what, mutant] as const))(
    '%s',
    async ([_what, mutant], context) => {
      const server = await startHttpSubject({ only: ['add', 'greet'] });
      context.onTestFinished(server.close);
      const { findings, verdict } = await checkSubject([server.url], (url) =>
        startDefect(mutant, url, context),
      );
      expect(findings.filter(({ fault }) => fault === 'server')).toEqual([]);
      expect(findings.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(findings.filter(({ fault }) => fault === 'bridge').length).toBeGreaterThan(0);
      expect(verdict).toBe('incomplete');
    },
  );
});
