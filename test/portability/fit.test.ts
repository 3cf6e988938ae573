import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../src/generated/portability.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { PROFILE_IDS, type Profile } from '../../src/model/profile.ts';
import { definitionsIn, fitOf } from '../../src/portability/fit.ts';
import { contractWith, functionWith, ruleExamples } from './profile-examples.ts';

function profileOf(id: string): Profile {
  const profile = PROFILES.find((one) => one.id === id);
  if (profile === undefined) throw new Error(`no profile ${id}`);
  return profile;
}

describe('profiles', () => {
  it('are the files of suites/portability', () => {
    const files = readdirSync('suites/portability').map((name) => name.replace('.yaml', ''));
    expect(PROFILES.map(({ id }) => id).toSorted()).toEqual([...PROFILE_IDS].toSorted());
    expect(files.toSorted()).toEqual([...PROFILE_IDS].toSorted());
  });
});

describe('a rule', () => {
  it.each(ruleExamples())('$profile/$rule is broken by its example, and kept by the other one', (example) => {
    const profile = profileOf(example.profile);
    const broken = fitOf(definitionsIn(example.breaks), profile, false);
    expect(broken.problems.map(({ rule }) => rule)).toContain(example.rule);
    const [problem] = broken.problems.filter(({ rule }) => rule === example.rule);
    expect(problem?.change).toMatch(/^[a-z]/);
    const kept = fitOf(definitionsIn(example.keeps), profile, false);
    expect(kept.problems).toEqual([]);
    expect(kept.portable).toBe(example.keeps.functions.length);
  });
});

describe('fitOf', () => {
  const open = { type: 'object', properties: { unit: { type: 'array' } } };

  it('points into the definition as the wire names its members', () => {
    const [mcp, rest] = (['mcp', 'B'] as const).map((wire) =>
      fitOf(definitionsIn(contractWith([functionWith(open)], wire)), profileOf('openai'), true),
    );
    expect(mcp).toMatchObject({
      isChosen: true,
      functions: 1,
      portable: 0,
      problems: [
        {
          function: 'get_weather',
          rule: 'array-items',
          pointer: '/inputSchema/properties/unit',
          message: '"unit" is an array without "items"',
          change: 'add "items", such as { "type": "string" }',
        },
      ],
    });
    expect(rest?.problems[0]?.pointer).toBe('/parameters/properties/unit');
  });

  it('judges no schema of form A, which has none', () => {
    const contract = contractWith([functionWith(open)], 'A');
    expect(fitOf(definitionsIn(contract), profileOf('openai-strict'), false).portable).toBe(1);
  });

  it('judges the schema of a result only for tooling that reads it', () => {
    const tuple = { type: 'object', properties: { pair: { type: 'array', prefixItems: [] } } };
    const definitions = definitionsIn(contractWith([functionWith({ type: 'object' }, { output: tuple })]));
    expect(fitOf(definitions, profileOf('openai'), false).portable).toBe(1);
    expect(fitOf(definitions, profileOf('draft-07'), false).problems).toMatchObject([
      { rule: 'later-keywords', pointer: '/outputSchema/properties/pair/prefixItems' },
    ]);
  });

  it('lists one problem for each function and rule, and counts the places', () => {
    const input = { type: 'object', properties: { a: { type: 'array' }, b: { type: 'array' } } };
    const { problems } = fitOf(
      definitionsIn(contractWith([functionWith(input)])),
      profileOf('openai'),
      false,
    );
    expect(problems.map(({ message }) => message)).toEqual([
      '"a" is an array without "items"; 1 more place like it',
    ]);
  });

  it('lists a bounded number of problems, and counts the others', () => {
    const functions = Array.from({ length: 100 }, (_, index) => functionWith(open, { name: `get_${index}` }));
    const fit = fitOf(definitionsIn(contractWith(functions)), profileOf('openai'), false);
    expect(fit.problems).toHaveLength(40);
    expect(fit.more).toBe(60);
    expect(fit.portable).toBe(0);
  });

  it('reads a value under enum, const or default as no schema', () => {
    const input = {
      type: 'object',
      properties: {
        kind: { type: 'object', default: { type: 'array' }, const: { oneOf: [] }, enum: [{ type: 'array' }] },
      },
    };
    expect(
      fitOf(definitionsIn(contractWith([functionWith(input)])), profileOf('openai'), false).portable,
    ).toBe(1);
  });

  it('takes a property for what it is, whatever it is called', () => {
    const input = {
      type: 'object',
      properties: { oneOf: { type: 'string' }, $ref: { type: 'string' }, minimum: { type: 'number' } },
      required: ['oneOf', '$ref', 'minimum'],
      additionalProperties: false,
    };
    const definitions = definitionsIn(contractWith([functionWith(input)]));
    for (const id of ['openai', 'openai-strict', 'anthropic', 'draft-07', 'bedrock'])
      expect(fitOf(definitions, profileOf(id), false).problems, id).toEqual(
        id === 'anthropic' ? [expect.objectContaining({ rule: 'property-names' })] : [],
      );
  });
});

describe('a pattern', () => {
  const withPattern = (pattern: string) => {
    const input = {
      type: 'object',
      properties: { a: { type: 'string', pattern } },
      additionalProperties: false,
    };
    const { problems } = fitOf(
      definitionsIn(contractWith([functionWith(input)])),
      profileOf('anthropic-strict'),
      false,
    );
    return problems.map(({ rule }) => rule);
  };

  it.each([
    String.raw`^[\b]$`,
    String.raw`^\(\?=x\)$`,
    String.raw`^[(?=x)\]\b\1]$`,
    String.raw`^\\b$`,
    String.raw`\[(?:a)\]`,
  ])('of characters is accepted: %s', (pattern) => expect(withPattern(pattern)).toEqual([]));

  it.each([
    String.raw`\bword`,
    '^(?=x)',
    '(?<!a)b',
    String.raw`(a)\1`,
    String.raw`[a]\b`,
    String.raw`\\\bword`,
    String.raw`\[(?!a)`,
  ])('with more than a provider knows is refused: %s', (pattern) =>
    expect(withPattern(pattern)).toEqual(['patterns']),
  );
});

describe('arguments that may be left out', () => {
  const changeOf = (properties: JsonObject) =>
    fitOf(
      definitionsIn(
        contractWith([functionWith({ type: 'object', properties, additionalProperties: false })]),
      ),
      profileOf('openai-strict'),
      false,
    ).problems.map(({ change }) => change);

  it('are to accept null, unless they do', () => {
    expect(changeOf({ a: { type: 'string' } })).toEqual([
      'add "a" to "required"; where it may be left out, accept null: "type": ["string", "null"]',
    ]);
    for (const a of [{ type: ['string', 'null'] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }])
      expect(changeOf({ a })).toEqual(['add "a" to "required"']);
  });
});
