import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { clientDefinition, definitionTokens } from '../../src/contract/definition-tokens.ts';
import { estimateTokens } from '../../src/contract/estimate-tokens.ts';
import { contractIn } from '../../src/contract/read-contract.ts';
import { CONTRACT_SCHEMA_ID, type Contract, type ContractFunction } from '../../src/model/contract.ts';
import type { TestResult } from '../../src/model/report.ts';

const ADD: ContractFunction = {
  name: 'add',
  title: 'Adder',
  description: 'Adds two numbers.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  output: { type: 'object', properties: { sum: { type: 'number' } } },
  annotations: { readOnlyHint: true },
};

const contractOf = (...functions: readonly ContractFunction[]): Contract => ({
  schema: CONTRACT_SCHEMA_ID,
  wire: 'mcp',
  server: {},
  functions,
  prompts: [],
  resources: [],
  resourceTemplates: [],
  unread: [],
});

describe('a definition', () => {
  it('is what clients send: no title, no annotations, no output', () => {
    expect(JSON.parse(clientDefinition(ADD))).toEqual({
      name: 'add',
      description: 'Adds two numbers.',
      input_schema: ADD.input,
    });
  });

  it('has its title in place of a description', () => {
    const { description: _, ...untold } = ADD;
    expect(JSON.parse(clientDefinition({ ...untold, input: null }))).toEqual({
      name: 'add',
      description: 'Adder',
    });
  });

  it('costs more with its parts, and the most expensive function is the first', () => {
    const long = { ...ADD, name: 'explain', description: 'Explains at length what a number is. '.repeat(30) };
    const { functions, total } = definitionTokens(contractOf(ADD, long));
    expect(functions.map((one) => one.function)).toEqual(['explain', 'add']);
    for (const one of functions) expect(one.total).toBeGreaterThan(one.name + one.texts + one.schemas - 3);
    expect(total).toBe(functions.reduce((sum, one) => sum + one.total, 0));
  });
});

describe('the estimate', () => {
  const texts: readonly (readonly [what: string, text: string])[] = [
    ['English', readFileSync('README.md', 'utf8')],
    ['the registry of requirements', readFileSync('suites/requirements.yaml', 'utf8')],
    ['a schema', readFileSync('schemas/suite.schema.json', 'utf8')],
    [
      'the same schema in one line',
      JSON.stringify(JSON.parse(readFileSync('schemas/suite.schema.json', 'utf8'))),
    ],
  ];
  it.each(texts)('of %s is within 15 percent of a tokenizer', (_what, text) => {
    const counted = encode(text).length;
    expect(Math.abs(estimateTokens(text) - counted) / counted).toBeLessThan(0.15);
  });

  it('of the definitions of real servers is within 10 percent of a tokenizer', () => {
    const folder = 'reports/examples';
    const contracts = readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const { exchanges } = JSON.parse(
          readFileSync(path.join(folder, name), 'utf8'),
        ) as Partial<TestResult>;
        const contract = exchanges === undefined ? null : contractIn(exchanges);
        return contract === null ? [] : [contract];
      });
    expect(contracts.length).toBeGreaterThan(0);
    for (const contract of contracts) {
      const counted = contract.functions.reduce((sum, one) => sum + encode(clientDefinition(one)).length, 0);
      expect(Math.abs(definitionTokens(contract).total - counted) / counted).toBeLessThan(0.1);
    }
  });

  it('of nothing is nothing', () => {
    expect(estimateTokens('')).toBe(0);
  });
});
