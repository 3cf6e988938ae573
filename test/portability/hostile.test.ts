import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../src/generated/portability.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { definitionsIn, fitOf } from '../../src/portability/fit.ts';
import { contractWith, functionWith } from './profile-examples.ts';

// Servers may send anything. What is tested is that all profiles give an answer, of bounded size.

function nested(depth: number, keyword: (inner: Json) => JsonObject): Json {
  let schema: Json = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = keyword(schema);
  return schema;
}

const properties = Object.fromEntries(
  Array.from({ length: 10_000 }, (_, index) => [`p${index}`, { type: 'array' }]),
);

const HOSTILE: Readonly<Record<string, Json>> = {
  'a schema 5,000 levels deep': nested(5000, (inner) => ({ type: 'object', properties: { inner } })),
  'alternatives 5,000 levels deep': nested(5000, (inner) => ({ anyOf: [inner] })),
  '10,000 properties': { type: 'object', properties },
  'more schemas than are read': {
    type: 'object',
    properties: { a: { anyOf: Array.from({ length: 30_000 }, () => ({})) } },
  },
  'a schema that is itself': { type: 'object', properties: { self: { $ref: '#' } } },
  'references in a circle': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
  },
  'a reference to itself': { $ref: '#' },
  'references that lead nowhere': {
    type: 'object',
    properties: { a: { $ref: '#/%' }, b: { $ref: '#/x/y' }, c: { $ref: '' }, d: { $ref: 5 } },
  },
  'names of inherited members': JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"array"},"constructor":{"type":["string"]},"toString":{}},"required":["__proto__"]}',
  ) as Json,
  'members of the wrong type': {
    type: 5,
    properties: [1],
    required: { a: 1 },
    anyOf: { a: {} },
    items: 'text',
    enum: 7,
    $schema: 1,
    pattern: 3,
    additionalProperties: 'no',
    definitions: null,
  },
  true: true,
  'a list': [1, 2],
  'a text': 'object',
};

describe('every profile', () => {
  it.each(Object.keys(HOSTILE))('answers for %s', (name) => {
    const definitions = definitionsIn(contractWith([functionWith(HOSTILE[name] as Json)]));
    for (const profile of PROFILES) {
      const fit = fitOf(definitions, profile, false);
      expect(JSON.stringify(fit).length, profile.id).toBeLessThan(150_000);
      expect(fit.portable, profile.id).toBeLessThanOrEqual(1);
    }
  });

  it('accepts nothing of which only a part was read', () => {
    const input = HOSTILE['more schemas than are read'] as Json;
    const definitions = definitionsIn(contractWith([functionWith(input)]));
    for (const profile of PROFILES) expect(fitOf(definitions, profile, false).portable, profile.id).toBe(0);
  });

  it('sees a schema that contains itself, whatever is between', () => {
    const strict = PROFILES.find(({ id }) => id === 'anthropic-strict');
    if (strict === undefined) throw new Error('no profile');
    for (const name of ['a schema that is itself', 'references in a circle', 'a reference to itself']) {
      const definitions = definitionsIn(contractWith([functionWith(HOSTILE[name] as Json)]));
      const rules = fitOf(definitions, strict, false).problems.map(({ rule }) => rule);
      expect(rules, name).toContain('no-recursion');
    }
  });
});
