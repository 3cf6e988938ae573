import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { listingSections } from '../../../src/cli/commands/init/init-listing.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { startReferenceServer } from '../../../src/reference/server.ts';
import { writeYaml } from '../../../src/suite/yaml/write-yaml.ts';
import { freePort } from '../../free-port.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const CONFIG = 'probity.config.yaml';
const LISTING = 'probity.listing.yaml';
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

async function listing(functions: readonly unknown[], more: object = {}): Promise<string> {
  return servedBy((request, response) => {
    const body = request.url === '/capabilities' ? { functions, ...more } : { status: 'ok' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}

async function servedBy(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener);
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Config {
  readonly samples?: Readonly<Record<string, readonly { readonly input: unknown }[]>>;
  readonly mutating?: { readonly once: readonly string[] };
}

function textIn(cwd: string, file = CONFIG): string {
  return readFileSync(path.join(cwd, file), 'utf8');
}

/** With the samples that are written as comments. */
function uncommented(text: string): string {
  return text
    .split('\n\n')
    .map((part) =>
      part.includes('# Generated from the descriptors')
        ? part.replaceAll(/^# (?=samples:$| {2})/gm, '')
        : part,
    )
    .join('\n\n');
}

describe('probity init', () => {
  it.each(['A', 'B'] as const)('writes a valid configuration that a check uses, form %s', async (form) => {
    const server = await startReferenceServer({ form });
    closers.push(() => void server.close());
    const cwd = emptyFolder();
    const made = await runCommand(['init', server.url], { cwd });
    expect(made).toMatchObject({ code: 0, stdout: '' });
    expect(made.stderr).toContain('written: probity.config.yaml, probity.listing.yaml');
    expect(readdirSync(cwd).sort()).toEqual([CONFIG, LISTING]);
    const { samples, mutating } = parse(textIn(cwd)) as Config;
    expect(samples).toMatchObject({
      add: [{ input: { a: 2, b: 3 } }],
      divide: [{ input: { dividend: 7 } }],
    });
    expect(mutating).toBeUndefined();
    expect(await runCommand(['lint', CONFIG], { cwd })).toMatchObject({ code: 0 });
    const checked = await runCommand(['check', server.url, '--json', '--no-latency'], { cwd });
    expect(checked.stderr).toContain('configuration: probity.config.yaml');
    const { settings, findings } = JSON.parse(checked.stdout) as TestResult;
    expect(Object.keys(settings.samples)).toEqual(Object.keys(samples ?? {}));
    expect(findings).toEqual([]);
    expect(parse(textIn(cwd, LISTING))).toMatchObject({ transport: ['http'] });
    // An address of this machine is useless to others.
    expect(textIn(cwd, LISTING)).toContain('# endpoint: TODO');
  });

  it('marks generated samples, and sends only the two reads', async () => {
    const seen: string[] = [];
    const url = await servedBy((request, response) => {
      seen.push(
        `${request.method} ${request.url} ${request.headers.authorization} ${request.headers['x-tenant']}`,
      );
      const functions = [
        {
          name: 'send-mail',
          description: 'Mails.',
          parameters: { required: ['email'], properties: {} },
          returns: {},
        },
        { name: 'forecast', description: 'Tells.', parameters: { properties: {} }, returns: {} },
      ];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ functions }));
    });
    const cwd = emptyFolder();
    const args = ['init', url, '--bearer-env', 'KEY', '--header', 'X-Tenant: canary-tenant-1'];
    const { stderr } = await runCommand(args, { cwd, env: { KEY: 'canary-key-1234' } });
    expect(seen.sort()).toEqual([
      'GET /capabilities Bearer canary-key-1234 canary-tenant-1',
      'GET /health Bearer canary-key-1234 canary-tenant-1',
    ]);
    expect(textIn(cwd) + textIn(cwd, LISTING) + stderr).not.toContain('canary');
    expect(parse(textIn(cwd))).toMatchObject({ bearerEnv: 'KEY' });
    expect(textIn(cwd)).toMatch(
      /# Generated from the descriptors.*remove the #.*\n.*\n.*\n# {3}send-mail:\n# {5}- input:\n# {9}email: someone@example.com/,
    );
    expect(textIn(cwd)).toMatch(/# No input is required\.\n {2}forecast:/);
    expect(textIn(cwd)).toContain(
      '#   x-tenant: { env: NAME_OF_A_VARIABLE }'.replace('x-tenant', 'X-Tenant'),
    );
    expect(stderr).toContain('One sample was generated and is a comment');
  });

  it('writes a listing that is accepted when completed', async () => {
    const url = await listing([]);
    const cwd = emptyFolder();
    expect(await runCommand(['init', url], { cwd })).toMatchObject({ code: 0 });
    // As written, only fields of the record are missing.
    const unfilled = await runCommand(['lint', LISTING], { cwd });
    expect(unfilled.code).toBe(2);
    expect(unfilled.stdout).not.toContain('unknown key');
    expect(unfilled.stdout).toContain('the field "id" is missing');
    const digest = `sha256:${'0'.repeat(64)}`;
    const page = 'https://example.org/page';
    const filled: Readonly<Record<string, string>> = {
      'TODO (true or false)': 'false',
      'TODO (https address)': page,
      'TODO (sha256:…)': digest,
      'TODO (such as 2026-03-31)': '2026-03-31',
      'TODO (SPDX expression, such as MIT)': 'MIT',
      PROBITY_TARGET_TODO: 'PROBITY_TARGET_FILLED',
    };
    const lines = textIn(cwd, LISTING)
      .split('\n')
      .map((line) => {
        const offered = /^# ([a-zA-Z]+: .*TODO.*)$/.exec(line)?.[1];
        if (offered === undefined) return line;
        const known = Object.entries(filled).reduce(
          (text, [todo, value]) => text.replaceAll(todo, value),
          offered,
        );
        return known.startsWith('endpoint:') ? `endpoint: ${url}` : known.replaceAll('TODO', 'filled');
      });
    writeFileSync(path.join(cwd, LISTING), lines.join('\n'));
    expect(Object.keys(parse(lines.join('\n')) as object).sort()).toEqual(
      [
        'listing id name description endpoint category tags transport version mcpVersion author openSource repository',
        'licence build deployment audited auditReport documentation bearerEnv',
      ]
        .flatMap((line) => line.split(' '))
        .sort(),
    );
    expect(await runCommand(['lint', LISTING], { cwd })).toMatchObject({
      code: 0,
      stdout: 'No mistakes in 1 file.\n',
    });
  });

  it('does not blame a server that refuses generated input', async () => {
    const functions = ['forecast', '# "x"\n: y'].map((name) => ({
      name,
      description: 'Tells.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      returns: {},
    }));
    const url = await servedBy((request, response) => {
      const body = request.url === '/capabilities' ? { functions } : { status: 'ok' };
      response.writeHead(request.url === '/execute' ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(request.url === '/execute' ? { status: 'error' } : body));
    });
    const cwd = emptyFolder();
    expect(await runCommand(['init', url], { cwd })).toMatchObject({ code: 0 });
    expect(parse(textIn(cwd))).toEqual({ config: 'v1' });
    const command = ['check', url, '--json', '--no-latency', '--only', 'execute/status-200'];
    const { stdout } = await runCommand(command, { cwd });
    const { findings } = JSON.parse(stdout) as TestResult;
    expect(findings.map(({ outcome }) => outcome)).toEqual(['undecided', 'undecided']);
    // Without the comment signs, the offered samples are valid.
    expect(parse(uncommented(textIn(cwd)))).toEqual({
      config: 'v1',
      samples: Object.fromEntries(functions.map(({ name }) => [name, [{ input: { city: 'Paris' } }]])),
    });
  });

  it('keeps text from a server in its place', async () => {
    const names = [
      'a\nsuites: [/etc/passwd]',
      'b: {',
      '# c',
      '!!binary d',
      '&e *f',
      '"g',
      "'h",
      '__proto__',
      'toString',
      '<<',
      'null',
      '1',
      '~',
      '- i',
      'j\u2028k\u202Edelete',
      'l\u{E0041}m',
      '\uD800n',
      '%YAML 1.1',
      '---',
      '...',
      '{{o}}',
      'delete *',
      `p${'q'.repeat(190)}`,
    ];
    const hostile = { 'x\n- y': ['\u0000', '\u001b[2J', '```', '# z', ': ', '\r\n...\n'] };
    const functions = names.map((name) => ({
      name,
      description: 'Deletes.\nreadOnly: true',
      inputs: ['x\n- y'],
      outputs: [],
      examples: [{ input: hostile }],
    }));
    const server = {
      name: `evil\nid: mine ${'r'.repeat(100_000)}`,
      description: '\u202E# TODO',
      version: '1\u0085endpoint: x',
    };
    const url = await listing(functions, { server });
    const cwd = emptyFolder();
    expect(await runCommand(['init', url], { cwd })).toMatchObject({ code: 0 });
    expect(await runCommand(['lint', CONFIG], { cwd })).toMatchObject({ code: 0 });
    for (const file of [CONFIG, LISTING])
      expect(textIn(cwd, file).replaceAll('\n', '')).not.toMatch(
        /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u,
      );
    const config = parse(textIn(cwd)) as Config;
    // Samples that one check may use up for the next are only comments.
    expect(Object.keys(config).sort()).toEqual(['config', 'mutating']);
    const offered = textIn(cwd).replaceAll(/^# {1,2}(?= )/gm, '');
    expect(offered).toContain('x\\n- y');
    // A name with a star would match every other function.
    expect(config.mutating?.once).toEqual(names.filter((name) => !name.includes('*')));
    expect(parse(textIn(cwd, LISTING))).toEqual({
      listing: 'v1',
      ...server,
      name: `${server.name.slice(0, 999)}…`,
      transport: ['http'],
    });
    const checked = await runCommand(['check', url, '--json', '--only', 'health/status-200'], { cwd });
    const { settings } = JSON.parse(checked.stdout) as TestResult;
    expect(settings.mutating.functions.once).toEqual(config.mutating?.once);
  });

  it('stays readable and within limits, whatever the examples are', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) as object;
    const examples = [{ a: 'x'.repeat(100_000) }, deep, { a: Array(5000).fill(0) }];
    const functions = Array.from({ length: 60 }, (_, index) => ({
      name: `f${index}`,
      description: 'F',
      parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      returns: {},
      examples: [{ input: examples[index % examples.length] }],
    }));
    const cwd = emptyFolder();
    expect(await runCommand(['init', await listing(functions)], { cwd })).toMatchObject({ code: 0 });
    const { samples = {} } = parse(uncommented(textIn(cwd))) as Config;
    expect(Object.values(samples)).toEqual(Array(50).fill([{ input: { a: 'probity' } }]));
    expect(textIn(cwd)).toContain('lists 10 more functions');
    expect(await runCommand(['lint', CONFIG], { cwd })).toMatchObject({ code: 0 });
  });

  it('writes files without samples if there is no address', async () => {
    const cwd = emptyFolder();
    expect(await runCommand(['init'], { cwd })).toMatchObject({ code: 0 });
    expect(parse(textIn(cwd))).toEqual({ config: 'v1' });
    expect(parse(textIn(cwd, LISTING))).toEqual({ listing: 'v1', transport: ['http'] });
  });

  it('overwrites files only with --force, and writes both files or none', async () => {
    const cwd = emptyFolder();
    const url = await listing([]);
    writeFileSync(path.join(cwd, LISTING), 'mine');
    const refused = await runCommand(['init', url], { cwd });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('probity.listing.yaml already exists');
    expect(readdirSync(cwd)).toEqual([LISTING]);
    expect(textIn(cwd, LISTING)).toBe('mine');
    expect(await runCommand(['init', url, '--force'], { cwd })).toMatchObject({ code: 0 });
    expect(textIn(cwd, LISTING)).toContain('# endpoint: TODO');

    const blocked = emptyFolder();
    mkdirSync(path.join(blocked, LISTING));
    const { code, stderr } = await runCommand(['init', url, '--force'], { cwd: blocked });
    expect(code).toBe(2);
    expect(stderr).toContain('Cannot write probity.listing.yaml');
    expect(readdirSync(blocked)).toEqual([LISTING]);
    writeFileSync(path.join(blocked, CONFIG), 'config: v1 # mine\n');
    expect(await runCommand(['init', url, '--force'], { cwd: blocked })).toMatchObject({ code: 2 });
    expect(textIn(blocked)).toBe('config: v1 # mine\n');
  });

  it('reports an invalid target and writes nothing', async () => {
    const cwd = emptyFolder();
    const dead = await runCommand(['init', `http://127.0.0.1:${await freePort()}`], { cwd });
    expect(dead).toMatchObject({ code: 3 });
    expect(dead.stderr).toMatch(/nothing listens there.*Start the server/);
    const page = await servedBy((_request, response) => response.end('<html>'));
    const cases: readonly (readonly [string, RegExp, code?: number])[] = [
      [page, /does not answer as an MCP server: the answer to GET \/capabilities is not a JSON object/],
      [await servedBy((_, response) => response.writeHead(404).end()), /status 404.*Check the address/, 2],
      [await servedBy((_, response) => response.writeHead(401).end()), /status 401.*--bearer-env/],
      [await servedBy((_, response) => response.end('{}')), /has no list of functions/],
    ];
    for (const [url, message, expected = 4] of cases) {
      const { code, stderr } = await runCommand(['init', url], { cwd });
      expect(code).toBe(expected);
      expect(stderr).toMatch(message);
    }
    expect(await runCommand(['init', 'localhost:3000'], { cwd })).toMatchObject({ code: 2 });
    expect(existsSync(path.join(cwd, CONFIG))).toBe(false);
  });

  it('writes a public address of the server into the listing', () => {
    const target = {
      targetUrl: 'https://weather.example',
      form: null,
      name: null,
      version: null,
      description: null,
      mcpVersion: null,
      functions: [],
      furtherFunctions: 0,
      producers: new Map(),
    };
    expect(parse(writeYaml(listingSections(target, null)))).toEqual({
      listing: 'v1',
      endpoint: 'https://weather.example',
      transport: ['http'],
    });
    const bridged = { ...target, targetUrl: 'http://127.0.0.1:1' };
    expect(parse(writeYaml(listingSections(bridged, 'https://weather.example/mcp')))).toEqual({
      listing: 'v1',
      protocol: 'mcp',
      endpoint: 'https://weather.example/mcp',
      transport: ['http'],
    });
    expect(parse(writeYaml(listingSections(bridged, 'node server.js')))).toEqual({
      listing: 'v1',
      protocol: 'mcp',
      transport: ['http'],
    });
  });
});

it('writes where values of other functions come from, as comments', async () => {
  const id = { type: 'string' };
  const [cwd, url] = [
    emptyFolder(),
    await listing([
      {
        name: 'createNote',
        description: 'Creates a note.',
        parameters: { type: 'object', properties: {} },
        returns: { type: 'object', properties: { id } },
      },
      {
        name: 'getNote',
        description: 'Returns a note.',
        parameters: { type: 'object', properties: { noteId: id }, required: ['noteId'] },
        returns: { type: 'object', properties: {} },
      },
    ]),
  ];
  const { code } = await runCommand(['init', url], { cwd });
  expect(code).toBe(0);
  const lines = textIn(cwd).split('\n');
  const from = lines.indexOf('# producers:');
  const uncommented = lines.slice(from, from + 5).map((line) => line.slice(2));
  expect(parse(uncommented.join('\n'))).toEqual({
    producers: { getNote: { noteId: { from: 'createNote', at: '$.id' } } },
  });
});
