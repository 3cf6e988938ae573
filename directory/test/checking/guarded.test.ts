import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import type { TestResult } from 'probity/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../test/cli/run-command.ts';
import { a, type DnsQuestion, type DnsServer, serveDns } from '../../../test/probe/dns-server.ts';
import { createKey } from '../../src/accounts/keys.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { freshDataFolder } from '../db/stores.ts';
import { connectBeside, type ServiceProcess, startService } from '../service-process.ts';

const PUBLIC = '8.8.4.4';
const LEADS_TO = '127.0.0.2';
const PRIVATE = '127.0.0.1';

/** Names of targets, and the answers of DNS for each; the last answer repeats. */
const WAYS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'private.example': [[PRIVATE]],
  'mixed.example': [[PUBLIC, PRIVATE]],
  'redirects.example': [[PUBLIC]],
  'changes.example': [[PUBLIC], [PRIVATE]],
};

const MCP = 'mcp.';
/** Each name as a target, and as a server of the Model Context Protocol. */
const IDS = Object.keys(WAYS).flatMap((name) => [name, `${MCP}${name}`]);

describe('a target that leads to a private address', () => {
  let dns: DnsServer;
  let inside: Server;
  let outside: http.Server;
  let port: number;
  let insideConnections = 0;
  let outsideRequests = 0;
  let folder: string;
  let service: ServiceProcess;
  let key: string;
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    inside = createServer((socket) => {
      insideConnections += 1;
      socket.destroy();
    });
    inside.listen(0, PRIVATE);
    await once(inside, 'listening');
    port = (inside.address() as AddressInfo).port;
    outside = http.createServer((request, response) => {
      outsideRequests += 1;
      const isRedirect = request.headers.host?.startsWith('redirects.') === true;
      response.writeHead(isRedirect ? 307 : 200, {
        'content-type': 'application/json',
        connection: 'close',
        ...(isRedirect ? { location: `http://${PRIVATE}:${port}${request.url}` } : {}),
      });
      response.end('{}');
    });
    outside.listen(port, LEADS_TO);
    await once(outside, 'listening');
    dns = await serveDns(({ name, type, timesBefore }: DnsQuestion) => {
      const answers = WAYS[name];
      if (answers === undefined) return 'NXDOMAIN';
      return type === 'A' ? a(name, ...(answers[timesBefore] ?? answers.at(-1) ?? [])) : [];
    });
    environment = {
      NODE_OPTIONS: `--no-deprecation --require ${path.resolve('test/fixtures/small-internet.cjs')}`,
      SMALL_INTERNET_DNS: dns.address,
      SMALL_INTERNET_PUBLIC: PUBLIC,
      SMALL_INTERNET_LEADS_TO: LEADS_TO,
    };
    folder = await freshDataFolder();
    const options = { data: folder, databaseUrl: null };
    service = startService({
      ...options,
      publicOnly: true,
      environment,
      more: ['--queues', 'test', '--test-deadline', '20'],
    });
    await service.url;
    const db = connectBeside(options);
    ({ key } = await createKey(db, { name: 'test', scopes: ['read', 'test', 'execute'], expiresAt: null }));
    await putEntries(db, IDS.map(entryOf), new Date());
    await db.destroy();
  });
  afterAll(async () => {
    await service?.kill();
    await dns?.close();
    inside?.close();
    outside?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const entryOf = (id: string): Parameters<typeof putEntries>[1][number] => ({
    listing: {
      id,
      name: id,
      ...(id.startsWith(MCP) ? { protocol: 'mcp' } : {}),
      description: 'leads to a private address',
      category: 'Strange',
      tags: [],
      transport: ['http'],
      audited: false,
      openSource: false,
      endpoint: `http://${id.replace(MCP, '')}:${port}`,
      uptime: 1,
      responseTime: 1,
    },
    first: { decision: 'list', decidedBy: 'operator', rows: [] },
  });

  const post = async (operation: string, name: string, body: object) => {
    const answer = await fetch(`${await service.url}/v1/servers/${name}/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const given = (await answer.json()) as Partial<TestResult> & { readonly code?: string };
    return { ...given, status: given.code === 'no-such-path' ? null : answer.status };
  };

  it.each(IDS)('gets no connection from a check: %s', async (id) => {
    const name = id.replace(MCP, '');
    const before = outsideRequests;
    const parameters = [
      'check',
      `http://${name}:${port}`,
      '--wire',
      id === name ? 'rest' : 'mcp',
      '--public-only',
      '--deadline',
      '20',
      '--no-latency',
      '--json',
    ];
    const { stdout, stderr } = await runCommand(parameters, { env: environment });
    expect(insideConnections).toBe(0);
    expect(dns.queries).toContain(`A ${name}`);
    if (name === 'redirects.example') expect(outsideRequests).toBeGreaterThan(before);
    else expect(`${stdout}${stderr}`).toMatch(/address-refused|not a public address/);
  });

  it.each(IDS)('gets no connection from a test: %s', async (name) => {
    const before = outsideRequests;
    const { status, exchanges = [] } = await post('test', name, {});
    if (name.endsWith('redirects.example')) expect(outsideRequests).toBeGreaterThan(before);
    expect(insideConnections).toBe(0);
    expect(dns.queries).toContain(`A ${name.replace(MCP, '')}`);
    // The test result reports the refused address.
    if (status !== null) expect(status).toBe(200);
    const refused = exchanges.filter(
      (one) => one.kind === 'unanswered' && one.reason.code === 'address-refused',
    );
    if (name.endsWith('private.example')) expect(refused).toEqual(exchanges);
    expect(refused.length > 0).toBe(exchanges.length > 0 && !name.endsWith('redirects.example'));
  });

  it.each(IDS)('gets no connection from a call: %s', async (name) => {
    const { status } = await post('execute', name, { function: 'add', input: {} });
    expect(insideConnections).toBe(0);
    // A test may have rejected the entry before.
    if (status !== null) expect([403, 404, 502]).toContain(status);
  });
});
