import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServers } from '../../src/client-configs/read-servers.ts';

const FILE = '/work/project/.vscode/mcp.json';

function read(value: unknown, environment: Readonly<Record<string, string>> = {}, file = FILE) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return readServers({ file, text }, { environment, home: '/home/me' }, (name) =>
    name.endsWith('.env') ? { FROM_FILE: path.basename(name) } : null,
  );
}

function one(server: unknown, environment: Readonly<Record<string, string>> = {}) {
  const [first] = read({ mcpServers: { one: server } }, environment);
  return first;
}

describe('the servers of a client’s configuration', () => {
  it.each([
    ['Claude, Cursor and others', { mcpServers: { a: { command: 'node', args: ['x.js'] } } }],
    ['VS Code', { inputs: [], servers: { a: { type: 'stdio', command: 'node', args: ['x.js'] } } }],
    [
      'settings of VS Code',
      { 'editor.tabSize': 2, mcp: { servers: { a: { command: 'node', args: ['x.js'] } } } },
    ],
    ['opencode', { mcp: { a: { type: 'local', command: ['node', 'x.js'] } } }],
    ['Zed', { context_servers: { a: { command: { path: 'node', args: ['x.js'] } } } }],
    ['Amp', { 'amp.mcpServers': { a: { command: 'node', args: ['x.js'] } } }],
  ])('are read as %s writes them', (_, value) => {
    expect(read(value)).toMatchObject([{ kind: 'command', name: 'a', command: { words: ['node', 'x.js'] } }]);
  });

  it.each([
    [{ type: 'http', url: 'https://a/mcp' }],
    [{ type: 'sse', url: 'https://a/mcp' }],
    [{ type: 'streamable-http', url: 'https://a/mcp' }],
    [{ type: 'remote', url: 'https://a/mcp' }],
    [{ serverUrl: 'https://a/mcp' }],
    [{ httpUrl: 'https://a/mcp' }],
  ])('are addresses: %j', (server) => {
    expect(one(server)).toMatchObject({ kind: 'address', address: { url: 'https://a/mcp', headers: {} } });
  });

  it('may be in a file with comments, a byte order mark, and commas before brackets', () => {
    const text =
      '\uFEFF{ // one\n "mcpServers": { /* two */ "a": { "command": "node", "args": ["//x",], }, }, }';
    expect(read(text)).toMatchObject([{ command: { words: ['node', '//x'] } }]);
  });

  it('get the values of the environment, of inputs and of the editor', () => {
    const value = {
      inputs: [{ id: 'the-key' }, { id: 'region', default: 'eu' }],
      servers: {
        a: {
          command: '${workspaceFolder}/run',
          args: ['${userHome}', '${NAME}', '${NAME:-x}', '${OTHER:-y}', '{env:NAME}', '${input:region}'],
          env: { KEY: '${input:the-key}', TEXT: 'a ${env:NAME}', COUNT: 3 },
          cwd: '${workspaceFolder}/sub',
          envFile: '.env',
        },
      },
    };
    const [server] = read(value, { NAME: 'long-name-1', THE_KEY: 'long-key-1' });
    expect(server).toEqual({
      kind: 'command',
      name: 'a',
      command: {
        words: ['/work/project/run', '/home/me', 'long-name-1', 'long-name-1', 'y', 'long-name-1', 'eu'],
        env: { FROM_FILE: '.env', KEY: 'long-key-1', TEXT: 'a long-name-1', COUNT: '3' },
        cwd: '/work/project/sub',
      },
      secrets: expect.arrayContaining([
        { value: 'long-name-1', variable: 'NAME' },
        { value: 'long-key-1', variable: 'KEY' },
      ]),
    });
  });

  it('are not started without a value', () => {
    const server = {
      url: 'https://a/mcp',
      headers: {
        Authorization: 'Bearer ${input:my-token}',
        A: '${env:NOT}',
        B: '${command:x}',
        C: '${EMPTY}',
      },
    };
    expect(one(server, { EMPTY: '' })).toEqual({
      kind: 'unresolved',
      name: 'one',
      missing: ['${input:my-token}, which is read from MY_TOKEN', '${env:NOT}', '${command:x}', '${EMPTY}'],
    });
    expect(one({ command: 'x', envFile: 'gone' })).toMatchObject({ missing: ['the file gone'] });
  });

  it.each([
    [{ command: 'x', disabled: true }, 'it is disabled in the file'],
    [{ command: 'x', enabled: false }, 'it is disabled in the file'],
    [{ type: 'ws', url: 'ws://x' }, 'servers of the type ws cannot be checked'],
  ])('are left out: %j', (server, why) => {
    expect(one(server)).toEqual({ kind: 'skipped', name: 'one', why });
  });

  it('have names that are different, and fit into names of files', () => {
    const names = read({ mcpServers: { 'a b': { url: 'x' }, 'a/b': { url: 'x' }, '../..': { url: 'x' } } });
    expect(names.map(({ name }) => name)).toEqual(['a-b', 'a-b-2', 'server']);
  });

  it.each([
    ['{ "mcpServers": { "a": 1 } }', '1:24: the server a is not an object'],
    ['{\n "mcpServers": {\n  "a": {} } }', '3:8: the server a has no command and no url'],
    ['{ "mcpServers": { "a": { "type": "http", "command": "x" } } }', 'the server a has no url'],
    ['{ "mcpServers": { "a": { "command": 5 } } }', '1:37: command is not a text'],
    ['{ "mcpServers": { "a": { "command": "x", "args": "y" } } }', 'args is not a list'],
    ['{ "mcpServers": { "a": { "command": "x", "env": { "A": {} } } } }', 'A of env is not a text'],
    ['{ "mcpServers": {} }', 'the file names no server'],
    ['{ "mcpServers": { "a": { "command": "x" } }\n', '2:1: not valid JSON: close brace expected'],
    ['{ "a": "s3cret', 'not valid JSON: unexpected end of string'],
    ['', '1:1: not valid JSON: the file is empty'],
    ['[1]', 'names no servers of the Model Context Protocol'],
    ['{ "other": { "a": { "command": "x" } } }', '"mcpServers", "servers"'],
  ])('are refused with the place: %s', (text, words) => {
    expect(() => read(text)).toThrow(words);
    expect(() => read(text)).not.toThrow('s3cret');
  });

  it('shows no text of the file in an error', () => {
    const text = '{ "mcpServers": { "a": { "command": 1, "env": { "KEY": "s3cret" } } } }';
    expect(() => read(text)).toThrow('"KEY": "******"');
    expect(() => read(text)).not.toThrow('s3cret');
  });
});

describe('the servers of a server.json', () => {
  const npm = { registryType: 'npm', identifier: '@a/b', version: '1.2.3', transport: { type: 'stdio' } };

  it('are npm packages, started with npx, and remotes', () => {
    const value = {
      name: 'io.github.a/b',
      packages: [
        {
          ...npm,
          runtimeArguments: [{ type: 'named', name: '--yes' }],
          packageArguments: [
            { type: 'positional', valueHint: 'folder', default: '/data' },
            { type: 'named', name: '--mode', value: 'fast-{level}', variables: { level: { default: '1' } } },
            { type: 'named', name: '--left-out', isRequired: true, default: 'x' },
          ],
          environmentVariables: [
            { name: 'api_key', isRequired: true, isSecret: true },
            { name: 'LEVEL', default: 'info' },
            { name: 'UNSET' },
          ],
        },
        { registryType: 'pypi', identifier: 'b', transport: { type: 'stdio' } },
        { ...npm, transport: { type: 'streamable-http', url: 'http://localhost:1/mcp' } },
      ],
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{tenant}.example/mcp',
          variables: { tenant: { isRequired: true } },
          headers: [{ name: 'X-API-Key', isRequired: true }],
        },
      ],
    };
    expect(
      read(value, { api_key: 'key-1234567', TENANT: 'acme', X_API_KEY: 'other-12345' }, '/p/server.json'),
    ).toEqual([
      {
        kind: 'command',
        name: 'npm',
        command: {
          words: ['npx', '--yes', '@a/b@1.2.3', '/data', '--mode', 'fast-1', '--left-out', 'x'],
          env: { api_key: 'key-1234567', LEVEL: 'info' },
          cwd: '/p',
        },
        secrets: expect.arrayContaining([{ value: 'key-1234567', variable: 'api_key' }]),
      },
      {
        kind: 'skipped',
        name: 'pypi',
        why: 'b is a package of the kind pypi, and only npm packages can be started',
      },
      {
        kind: 'skipped',
        name: 'npm-2',
        why: '@a/b serves over streamable-http: start it, and check its address',
      },
      {
        kind: 'address',
        name: 'streamable-http',
        address: { url: 'https://acme.example/mcp', headers: { 'X-API-Key': 'other-12345' } },
        secrets: expect.anything(),
      },
    ]);
    expect(read(value, {}, '/p/server.json')).toMatchObject([
      { kind: 'unresolved', missing: ['api_key'] },
      {},
      {},
      { kind: 'unresolved', missing: ['TENANT', 'X_API_KEY'] },
    ]);
  });

  it('start without a version, and from another registry', () => {
    const { version: _version, ...unversioned } = npm;
    expect(read({ packages: [{ ...unversioned, registryBaseUrl: 'https://npm.example' }] })).toMatchObject([
      { command: { words: ['npx', '-y', '--registry=https://npm.example', '@a/b'] } },
    ]);
  });

  it.each([
    [{ packages: [{ registryType: 'npm' }] }, 'an entry has no identifier'],
    [{ remotes: [{ type: 'sse' }] }, 'an entry has no url'],
    [{ remotes: 'x' }, 'remotes is not a list'],
  ])('are refused: %j', (value, words) => {
    expect(() => read(value)).toThrow(words);
  });
});

describe('flags that name a secret', () => {
  it.each([
    [['--api-key', 'sk-live-ABCDEFGH'], 'API_KEY'],
    [['--github-token=sk-live-ABCDEFGH'], 'GITHUB_TOKEN'],
  ])('keep the value out of what is shown: %j', (args, variable) => {
    const value = {
      mcpServers: { a: { command: 'node', args: ['server.js', ...args, '--port', '12345678'] } },
    };
    const [server] = read(value, {}, '/p/mcp.json');
    expect(server).toMatchObject({ secrets: [{ value: 'sk-live-ABCDEFGH', variable }] });
  });
});
