import { describe, expect, it, onTestFinished } from 'vitest';
import { isOffered } from '../../src/gateway/repeated-parameters.ts';
import type { SubjectInfo } from '../../src/gateway/subject.ts';
import type { Json } from '../../src/json/json.ts';
import { startMcpReferenceServer } from '../../src/reference/mcp/http.ts';
import { bridgeTo } from './bridges.ts';

const INFO: SubjectInfo = {
  name: '',
  version: '',
  title: null,
  description: null,
  protocolVersion: '2026-07-28',
  transport: 'streamable HTTP',
  offersTools: true,
  announcesTools: false,
};
const repeated = (type: Json, header: Json = 'Region') => ({ type, 'x-mcp-header': header });
const tool = (properties: Json, more: object = {}): Json => ({
  name: 'go',
  inputSchema: { type: 'object', properties, ...more },
});

it('sends the headers that repeat parameters of a call', async () => {
  const server = await startMcpReferenceServer({});
  onTestFinished(server.close);
  const { call, stderr } = await bridgeTo([server.url]);
  expect(await call('greet', { name: 'Zoé', language: 'fr' })).toMatchObject({
    status: 200,
    body: { result: { greeting: 'Bonjour, Zoé !' } },
  });
  expect(await call('greet', { name: 'Ada' })).toMatchObject({ status: 200 });
  // Otherwise its server validates it, with its own words.
  expect(await call('greet', { name: 'Ada', language: 'größe' })).toMatchObject({ status: 500 });
  expect(stderr).toEqual([]);
});

describe('a tool whose parameters headers repeat', () => {
  it.each<[string, Json]>([
    ['has none', tool({ region: { type: 'string' } })],
    ['repeats primitives', tool({ a: repeated('string'), b: repeated(['integer', 'null'], 'B') })],
    ['repeats one in another', tool({ place: { type: 'object', properties: { a: repeated('boolean') } } })],
    ['names a property like the annotation', tool({ 'x-mcp-header': { type: 'array' } })],
    ['has an annotation in an example', tool({ a: { type: 'object', examples: [{ 'x-mcp-header': 1 }] } })],
    ['has no schema', { name: 'go' }],
  ])('is offered if it %s', (_, listed) => {
    expect(isOffered(listed, INFO)).toBe(true);
  });

  const invalid: readonly [string, Json][] = [
    ['an empty name', tool({ a: repeated('string', '') })],
    ['a name with a blank', tool({ a: repeated('string', 'a b') })],
    ['a number as name', tool({ a: repeated('string', 7) })],
    ['a name twice', tool({ a: repeated('string'), b: repeated('string', 'REGION') })],
    ['a number', tool({ a: repeated('number') })],
    ['no type', tool({ a: { 'x-mcp-header': 'A' } })],
    ['an entry of a list', tool({ a: { type: 'array', items: repeated('string') } })],
    ['a part of a choice', tool({}, { anyOf: [{ properties: { a: repeated('string') } }] })],
    ['a definition', tool({}, { $defs: { a: repeated('string') } })],
  ];

  it.each(invalid)('is left out if it repeats %s', (_, listed) => {
    expect(isOffered(listed, INFO)).toBe(false);
  });

  it.each(invalid)('is offered where no header repeats anything: %s', (_, listed) => {
    expect(isOffered(listed, { ...INFO, protocolVersion: '2025-11-25' })).toBe(true);
    expect(isOffered(listed, { ...INFO, transport: 'stdio' })).toBe(true);
  });
});
