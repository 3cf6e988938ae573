import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { targetVariable } from '../../src/model/target.ts';
import { listingLanguageParts, listingShape } from '../../src/suite/listing/listing-language.ts';
import {
  parseListing,
  parseListings,
  type ReadListing,
  wholeListing,
} from '../../src/suite/listing/parse-listing.ts';
import { readListing, readListings } from '../../src/suite/read-listings.ts';
import { SuiteError } from '../../src/suite/yaml/diagnostic.ts';
import { plainValue } from '../../src/suite/yaml/tree.ts';
import { parseYaml } from '../../src/suite/yaml/yaml-tree.ts';
import { FILE, listingOf, listingText } from '../listing/listings.ts';
import { suiteErrorOf } from './loading.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const folder = mkdtempSync(path.join(tmpdir(), 'probity-listings-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a listing', () => {
  test.each(['name', 'description', 'category', 'tags'])('needs something visible as its %s', (field) => {
    for (const invisible of [
      '"\\u200b\\u200d"',
      '"\\u3164"',
      '"\\u2800 \\u00ad"',
      '"\\ue0001"'.replace('ue0001', 'U000E0001'),
    ]) {
      const { problems } = listingOf({ [field]: field === 'tags' ? `[${invisible}]` : invisible });
      expect(problems[0]?.message).toContain('no visible character');
    }
    const { problems } = listingOf({ [field]: field === 'tags' ? '["\\u200b日"]' : '"\\u200b日"' });
    expect(problems).toEqual([]);
  });

  test('is read with all keys', () => {
    const { said, problems } = listingOf({
      uptime: '99.5',
      responseTime: '120.5',
      lastUpdated: '2026-03-31T12:00:00Z',
      version: '1.2.3',
      mcpVersion: '"1.0"',
      author: '{ name: A, contact: a@example.org }',
      licence: 'MIT',
      documentation: 'https://example.org/docs',
      auditReport: '{ url: "https://example.org/audit", date: 2026-01-31, auditor: B }',
      build: `{ artifact: "https://example.org/a.tgz", digest: "${DIGEST}", attestation: { mediaType: x }, signer: { identity: i, issuer: "https://example.org" } }`,
      deployment: `{ instructions: "https://example.org/make", digest: "${DIGEST}" }`,
      samples: '{ forecast: { input: { city: Paris } }, now: [{ input: {}, fails: true }] }',
      bearerEnv: 'PROBITY_TARGET_FORECAST',
    });
    expect(problems).toEqual([]);
    expect(said).toEqual({
      id: 'forecast',
      name: 'Forecast',
      description: 'Tells the weather',
      category: 'weather',
      tags: ['forecast', 'climate'],
      transport: ['http'],
      audited: false,
      openSource: true,
      endpoint: 'http://127.0.0.1:3000',
      repository: 'https://git.example.org/forecast',
      uptime: 99.5,
      responseTime: 120.5,
      lastUpdated: '2026-03-31T12:00:00Z',
      version: '1.2.3',
      mcpVersion: '1.0',
      author: { name: 'A', contact: 'a@example.org' },
      licence: 'MIT',
      documentation: 'https://example.org/docs',
      auditReport: { url: 'https://example.org/audit', date: '2026-01-31', auditor: 'B' },
      build: {
        artifact: 'https://example.org/a.tgz',
        digest: DIGEST,
        attestation: { mediaType: 'x' },
        signer: { identity: 'i', issuer: 'https://example.org' },
      },
      deployment: { instructions: 'https://example.org/make', digest: DIGEST },
      samples: {
        forecast: [{ input: { city: 'Paris' }, fails: false }],
        now: [{ input: {}, fails: true }],
      },
      bearerEnv: 'PROBITY_TARGET_FORECAST',
    });
    expect(wholeListing(listingOf())).toMatchObject({ id: 'forecast' });
  });

  test.each(['http://127.0.0.1:3000', 'https://example.org/mcp', 'https://example.org/v1/mcp?region=eu'])(
    'may have the endpoint of a server of the Model Context Protocol: %s',
    (endpoint) => {
      const { said, problems } = listingOf({ protocol: 'mcp', endpoint: `"${endpoint}"` });
      expect(problems).toEqual([]);
      expect(said).toMatchObject({ protocol: 'mcp', endpoint });
    },
  );

  test.each([
    ['npx -y example-server', 'starts no commands'],
    ['ws://example.org/mcp', 'https://example.com/mcp'],
    ['file:///srv/mcp.sock', 'https://example.com/mcp'],
    ['example.org/mcp', 'https://example.com/mcp'],
    ['https://user:secret@example.org/mcp', 'a listing is public'],
    ['https://example.org/health', 'Remove `protocol`'],
  ])('must not name a server of the Model Context Protocol by %s', (endpoint, remedy) => {
    const { said, problems } = listingOf({ protocol: 'mcp', endpoint: `"${endpoint}"` });
    expect(problems).toMatchObject([{ field: 'endpoint', remedy: expect.stringContaining(remedy) }]);
    expect(said.endpoint).toBeUndefined();
  });

  test('says that the Model Context Protocol is spoken over HTTP only', () => {
    const { problems } = listingOf({ protocol: 'mcp', transport: '[websocket]' });
    expect(problems).toMatchObject([{ field: 'transport', message: expect.stringContaining('http') }]);
  });

  test('must not have an unknown protocol, or a command', () => {
    const unknown = suiteErrorOf(() => listingOf({ protocol: 'grpc' }));
    expect(unknown.message).toContain('"mcp"');
    const command = suiteErrorOf(() => listingOf({ protocol: 'mcp', command: 'npx -y example-server' }));
    expect(command.message).toContain('unknown key "command"');
  });

  test.each([
    ['id', 'a b'],
    ['id', `${'a'.repeat(65)}`],
    ['id', '.hidden'],
    ['id', '7'],
    ['name', '""'],
    ['description', '[a]'],
    ['category', '5'],
    ['tags', 'forecast'],
    ['tags', '[1]'],
    ['transport', '[]'],
    ['transport', '[http, smtp]'],
    ['uptime', '101'],
    ['uptime', '-1'],
    ['uptime', '"99"'],
    ['responseTime', '-0.5'],
    ['lastUpdated', '2026-03-31'],
    ['lastUpdated', '2026-02-30T12:00:00Z'],
    ['lastUpdated', '2026-03-31T12:00:00+02:00'],
    ['audited', '"yes"'],
    ['openSource', 'null'],
    ['endpoint', 'ftp://example.org'],
    ['endpoint', 'https://example.org/health'],
    ['endpoint', 'https://user:word@example.org'],
    ['endpoint', 'example.org'],
  ])('with %s: %s is judged, with the field and its line', (key, value) => {
    const parsed = listingOf({ [key]: value });
    expect(parsed.problems.length).toBeGreaterThan(0);
    const [problem] = parsed.problems;
    const text = listingText({ [key]: value }).split('\n');
    expect(problem?.field).toBe(key);
    expect(text[(problem?.where.line ?? 0) - 1]).toMatch(new RegExp(`^${key}:`));
    for (const words of [problem?.message, problem?.expected, problem?.received, problem?.remedy])
      expect(words).not.toBe('');
    const error = suiteErrorOf(() => wholeListing(parsed, listingText({ [key]: value })));
    expect(error.message).toContain(`${FILE}:${problem?.where.line}:`);
  });

  test.each([
    'id',
    'name',
    'description',
    'category',
    'tags',
    'transport',
    'audited',
    'openSource',
    'endpoint',
  ])('without %s has a missing field', (key) => {
    expect(listingOf({ [key]: null }).problems).toMatchObject([
      { field: key, message: `the field "${key}" is missing`, received: 'nothing' },
    ]);
  });

  test.each([
    '2026-03-31T12:00:00Z',
    '2026-03-31T12:00:00.123Z',
    '2026-03-31T12:00:00+00:00',
    '20260331T120000Z',
  ])('may say %s, which is UTC', (time) =>
    expect(listingOf({ lastUpdated: `"${time}"` }).problems).toEqual([]),
  );

  test('is refused for any other mistakes, all at once', () => {
    const error = suiteErrorOf(() =>
      listingOf({
        listing: 'v2',
        repositry: 'https://example.org',
        repository: 'git@example.org:forecast',
        documentation: 'https://user:word@example.org',
        auditReport: '{ url: "https://example.org/a", date: 2026-02-30 }',
        build: '{ digest: sha256:12 }',
      }),
    );
    expect(error.diagnostics.map(({ code, place }) => `${place.line} ${code}`)).toEqual([
      '1 wrong-value',
      '11 wrong-value',
      '12 unknown-key',
      '13 wrong-value',
      '14 missing-key',
      '14 wrong-value',
      '15 wrong-value',
    ]);
    expect(error.message).toContain('Did you mean "repository"?');
    expect(error.message).toContain('  12 | repositry: https://example.org\n');
  });

  test.each(['', 'null', '[1]', 'text', '{}'])('cannot be %j', (text) => {
    expect(suiteErrorOf(() => parseListing(text, FILE)).diagnostics).not.toEqual([]);
  });

  test('is one document; several are refused', () => {
    expect(suiteErrorOf(() => parseListing(`${listingText()}---\n${listingText()}`, FILE)).message).toContain(
      'more than one document',
    );
  });
});

describe('the variable with a token', () => {
  test.each([
    ['PROBITY_TARGET_FORECAST', true],
    ['PROBITY_TARGET_FORECAST_STAGING', false],
    ['PROBITY_TARGET_FORECASTS', false],
    ['PROBITY_TARGET_', false],
    ['PROBITY_TARGET_OTHER', false],
    ['PROBITY_TARGET_FORECAST_$(x)', false],
    ['probity_target_forecast', false],
    ['AWS_SECRET_ACCESS_KEY', false],
  ])('must match the id: %s', (name, isAllowed) => {
    const read = (): unknown => listingOf({ bearerEnv: `"${name}"` });
    if (isAllowed) return expect(read()).toMatchObject({ said: { bearerEnv: name } });
    const { diagnostics } = suiteErrorOf(read);
    expect(diagnostics).toMatchObject([{ code: 'wrong-value', place: { line: 12 } }]);
    expect(diagnostics[0]?.message).toContain('PROBITY_TARGET_FORECAST');
    expect(diagnostics[0]?.suggestion).toContain('another secret');
  });

  test('is derived from the id, which is required', () => {
    expect(targetVariable('we-ather.v2_X')).toBe('PROBITY_TARGET_WE_ATHER_V2_X');
    expect(suiteErrorOf(() => listingOf({ id: null, bearerEnv: 'PROBITY_TARGET_A' })).message).toContain(
      'id',
    );
  });
});

describe('several listings', () => {
  test('are YAML documents, each read separately with its place', () => {
    const read = parseListings(`${listingText()}---\n${listingText({ nme: 'x' })}---\n`, FILE);
    expect(read.map(({ kind, line }) => [kind, line])).toEqual([
      ['read', 1],
      ['refused', 13],
    ]);
    expect(messageOf(read[1])).toContain(`${FILE}:24:1: unknown key "nme"`);
  });

  test('are lines of JSON, with the places of mistakes', () => {
    const good = JSON.stringify(plainValue(parseYaml(listingText(), FILE).tree ?? fail()));
    const lines = [
      good,
      '',
      good.replace('"id"', '"ids"'),
      '{"listing":',
      good.replace('"forecast"', '"a b"'),
    ];
    const read = parseListings(`${lines.join('\n')}\n`, 'all.ndjson');
    expect(read.map(({ kind, line }) => [kind, line])).toEqual([
      ['read', 1],
      ['refused', 3],
      ['refused', 4],
      ['read', 5],
    ]);
    expect(messageOf(read[1])).toContain('all.ndjson:3:17: unknown key "ids"');
    expect(messageOf(read[1])).toContain('  3 | {"listing":"v1","ids":');
    expect(messageOf(read[2])).toContain('all.ndjson:4:12: not valid JSON [json-syntax]');
    expect(read[3]).toMatchObject({
      listing: { problems: [{ field: 'id', where: { file: 'all.ndjson', line: 5, column: 22 } }] },
    });
  });

  test.each([
    ['{"listing":"v1",}', 17],
    ['{"listing":"v1"} # as in YAML', 18],
    ['listing: v1', 1],
    ['[]]', 3],
  ])('%s is not a line of JSON', (line, column) => {
    expect(messageOf(parseListings(line, 'a.ndjson')[0])).toMatch(
      new RegExp(`a.ndjson:1:(1|${column}): not valid JSON`),
    );
  });

  test('duplicate keys are refused in JSON and YAML', () => {
    const twice = '{"listing":"v1","id":"a","id":"b"}';
    expect(messageOf(parseListings(twice, 'a.ndjson')[0])).toContain('a.ndjson:1:26: duplicate key');
    expect(suiteErrorOf(() => parseListing(`${listingText()}id: other\n`, FILE)).diagnostics).toMatchObject([
      { code: 'duplicate-key' },
    ]);
  });

  test('a file of a hundred thousand lines is read line by line', async () => {
    const value = plainValue(parseYaml(listingText(), FILE).tree ?? fail()) as object;
    const file = path.join(folder, 'many.ndjson');
    const count = 100_000;
    const text = Array.from({ length: count }, (_, index) =>
      JSON.stringify({ ...value, id: `s-${index}` }),
    ).join('\n');
    writeFileSync(file, text);
    let read = 0;
    for await (const one of readListings(file)) {
      if (one.kind !== 'read' || one.listing.said.id !== `s-${read}`) throw new Error(`line ${one.line}`);
      if (one.listing.problems.length > 0) throw new Error(`line ${one.line} is wrong`);
      read += 1;
    }
    expect(read).toBe(count);
  });

  test('a line that is too long, or not UTF-8, does not affect others', async () => {
    const good = JSON.stringify(plainValue(parseYaml(listingText(), FILE).tree ?? fail()));
    const file = path.join(folder, 'odd.jsonl');
    const lines = [Buffer.alloc(3_000_000, 0x20), Buffer.from([0xff, 0x7b]), Buffer.from(good)];
    writeFileSync(file, Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
    const read: ReadListing[] = [];
    for await (const one of readListings(file)) read.push(one);
    expect(read.map(({ kind, line }) => [kind, line])).toEqual([
      ['refused', 1],
      ['refused', 2],
      ['read', 3],
    ]);
    expect(messageOf(read[0])).toContain('more than 1048576 bytes');
  });

  test('JSON that is too deep or too large is refused', () => {
    const deep = `{"listing":"v1","x":${'['.repeat(100)}${']'.repeat(100)}}`;
    expect(messageOf(parseListings(deep, 'a.ndjson')[0])).toContain('nested deeper');
    const wide = `{"listing":"v1","x":[${'1,'.repeat(120_000)}1]}`;
    expect(messageOf(parseListings(wide, 'a.ndjson')[0])).toContain('more than 100000 values');
  });

  test('a missing file is reported as missing', async () => {
    expect(() => readListing('missing.yaml')).toThrow('the file does not exist');
    await expect(readListings('missing.ndjson').next()).rejects.toThrow('the file does not exist');
  });
});

describe('the schema for editors', () => {
  const valid = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(listingShape.schema);
  const isValid = (changes: Readonly<Record<string, string | null>>): boolean =>
    valid(plainValue(parseYaml(listingText(changes), FILE).tree ?? fail()));

  test('agrees with the reader', () => {
    expect(isValid({})).toBe(true);
    for (const change of [{ id: null }, { id: 'a b' }, { uptime: '101' }, { nme: 'x' }, { transport: '[]' }])
      expect(isValid(change), JSON.stringify(change)).toBe(false);
  });

  test('describes every key', () => {
    for (const shape of Object.values(listingLanguageParts))
      for (const [name, { doc }] of Object.entries(shape.keys))
        expect(doc, name).toMatch(/^[A-Z`].*\.$|^true: .*\.$/);
  });
});

function messageOf(read: ReadListing | undefined): string {
  if (read?.kind !== 'refused' || !(read.error instanceof SuiteError)) throw new Error('it was not refused');
  return read.error.message;
}

function fail(): never {
  throw new Error('no tree');
}
