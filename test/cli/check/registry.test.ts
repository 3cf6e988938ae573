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
  response.end(JSON.stringify(found ?? { error: 'Server not found' }));
});

beforeAll(async () => {
  target = await startMcpReferenceServer({});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const add = (name: string, more: object, _meta: object = {}) =>
    servers.set(`/v0.1/servers/com.example/${name}/versions/latest`, {
      server: { name: `com.example/${name}`, version: '1.2.3', ...more },
      _meta,
    });
  const address = `${target.url}/mcp`;
  const remote = (more: object) => ({
    remotes: [{ type: 'streamable-http', url: `${target.url}/mcp`, ...more }],
  });
  add('good', remote({}));
  add('keyed', remote({ headers: [{ name: 'HOME', isRequired: true, isSecret: true }] }));
  add('old', { remotes: [{ type: 'sse', url: `${target.url}/sse` }] });
  const official = { status: 'deleted', statusMessage: 'malware' };
  add('deleted', remote({}), { 'io.modelcontextprotocol.registry/official': official });
  add('other', { ...remote({}), name: 'com.evil/other', version: '6.6.6' });
  add('partly', {
    remotes: [null, 1, { type: 1, url: {} }, { type: 'streamable-http' }, ...remote({}).remotes],
  });
  add('wrong', { remotes: [{ type: 'streamable-http', url: 7 }] });
  add('list', { remotes: { a: 1 } });
  add('host', remote({ headers: [{ name: 'Host', value: 'evil' }] }));
  add('lines', remote({ headers: [{ name: 'X-A', value: 'a\r\nX-Injected: 1' }] }));
  add('user', remote({ url: address.replace('//', '//ada:s3cret@') }));
  add('template', remote({ url: 'http://{host-name}.example/mcp' }));
  add('optional', remote({ url: 'http://{host}.example/mcp', variables: { host: {} } }));
  add('filled', remote({ url: `${target.url}/{folder}` }));
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
  expect(stderr).toContain(`registry: ${registry} has com.example/good@1.2.3 at ${target.url}/mcp`);
  expect([0, 1]).toContain(code);
  expect(JSON.parse(stdout)).toMatchObject({ reachable: true });
  // The version that was checked, and not a word for whatever is the latest.
  expect(stdout).toContain('com.example/good@1.2.3');
  expect(requests.at(-1)).toBe('/v0.1/servers/com.example%2Fgood/versions/latest');
});

it.each([
  // The environment has this variable, which the registry must not get by naming it.
  ['com.example/keyed', 'needs a value for HOME. Set it in the environment, and pass it with --env HOME.'],
  ['com.example/old', 'has no address of the type streamable-http, only sse'],
  ['com.example/wrong', 'has no address that can be checked: remotes/0: url is not a text'],
  ['com.example/list', 'what the registry has as remotes is not a list'],
  ['com.example/host', 'the registry names a header for it that cannot be sent. The header Host belongs to'],
  [
    'com.example/lines',
    'the registry names a header for it that cannot be sent. The value of the header X-A has',
  ],
  ['com.example/user', 'is not checked: it has a user and a password'],
  [
    'com.example/template',
    'needs a value for HOST_NAME. Set it in the environment, and pass it with --env HOST_NAME',
  ],
  ['com.example/optional', 'needs a value for HOST. Set it'],
  ['com.example/package', "check it with: probity check 'npx -y @a/b@1.2.3'"],
  ['com.example/good@9.9.9', 'The registry has no such server and version'],
  ['weather', 'Name a server of the registry'],
])('refuses %s with the remedy', async (name, problem) => {
  const { code, stderr } = await check(name);
  expect(stderr).toContain(problem);
  expect(stderr).not.toMatch(/s3cret|--header|\*\*/);
  expect(code).toBe(2);
});

it('says that a version is deleted, and why', async () => {
  const { stderr, stdout } = await check('com.example/deleted', '--json');
  expect(stderr).toContain('warning: the registry has marked com.example/deleted@1.2.3 as deleted: malware');
  expect(stdout).toContain('com.example/deleted@1.2.3 (deleted)');
});

it('refuses an answer about another server', async () => {
  const { code, stderr } = await check('com.example/other');
  expect(stderr).toContain('it is about com.evil/other@6.6.6, and not about com.example/other@latest');
  expect(code).toBe(3);
});

it('checks the address that is valid beside others that are not', async () => {
  const { stderr } = await check('com.example/partly');
  expect(stderr).toContain(`has com.example/partly@1.2.3 at ${target.url}/mcp`);
});

it('fills a part of an address that the entry does not declare, and does not show it', async () => {
  const { stderr } = await runCommand(
    [
      'check',
      '--registry',
      registry,
      'com.example/filled',
      '--env',
      'FOLDER',
      '--no-store',
      '--only',
      'mcp/initialize-*',
    ],
    { env: { FOLDER: 'mcp?key=s3cret-0123456' } },
  );
  expect(stderr).toContain(`has com.example/filled@1.2.3 at ${target.url}/`);
  expect(stderr).not.toContain('s3cret');
});
