import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startMcpReferenceServer } from '../../../src/reference/mcp/http.ts';
import type { RunningServer } from '../../../src/reference/server.ts';
import { runCommand } from '../run-command.ts';

let target: RunningServer;
let registry: string;
const requests: string[] = [];
const servers = new Map<string, object>();
const server = createServer((request, response) => {
  requests.push(request.url ?? '');
  const found = servers.get(decodeURIComponent(request.url ?? ''));
  response.statusCode = found === undefined ? 404 : 200;
  response.end(JSON.stringify(found === undefined ? { error: 'Server not found' } : { server: found }));
});

beforeAll(async () => {
  target = await startMcpReferenceServer({});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const add = (name: string, more: object) =>
    servers.set(`/v0.1/servers/com.example/${name}/versions/latest`, {
      name: `com.example/${name}`,
      ...more,
    });
  const remote = (more: object) => ({
    remotes: [{ type: 'streamable-http', url: `${target.url}/mcp`, ...more }],
  });
  add('good', remote({}));
  add('keyed', remote({ headers: [{ name: 'HOME', isRequired: true, isSecret: true }] }));
  add('old', { remotes: [{ type: 'sse', url: `${target.url}/sse` }] });
  add('package', {
    packages: [{ registryType: 'npm', identifier: '@a/b', version: '1.2.3', transport: { type: 'stdio' } }],
  });
});
afterAll(async () => {
  await target.close();
  server.close();
});

const check = (...args: readonly string[]) =>
  runCommand(['check', '--registry', registry, ...args, '--no-store', '--only', 'mcp/initialize-*']);

it('checks the address of a server that a registry names', async () => {
  const { code, stderr, stdout } = await check('com.example/good', '--json');
  expect(stderr).toContain(`registry: ${registry} has com.example/good at ${target.url}/mcp`);
  expect([0, 1]).toContain(code);
  expect(JSON.parse(stdout)).toMatchObject({ reachable: true });
  expect(requests.at(-1)).toBe('/v0.1/servers/com.example%2Fgood/versions/latest');
});

it.each([
  // The environment has this variable, which the registry must not get by naming it.
  ['com.example/keyed', 'needs a value for HOME. Set it in the environment, and pass it with --env HOME.'],
  ['com.example/old', 'has no address of the type streamable-http, only sse'],
  ['com.example/package', "check it with: probity check 'npx -y @a/b@1.2.3'"],
  ['com.example/good@9.9.9', 'The registry has no such server and version'],
  ['weather', 'Name a server of the registry'],
])('refuses %s with the remedy', async (name, problem) => {
  const { code, stderr } = await check(name);
  expect(stderr).toContain(problem);
  expect(code).toBe(2);
});
