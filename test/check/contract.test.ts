import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { compareContracts } from '../../src/contract/compare-contracts.ts';
import { contractText } from '../../src/contract/contract-file.ts';
import { contractOf } from '../../src/contract/read-contract.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { Contract } from '../../src/model/contract.ts';
import type { TestResult } from '../../src/model/report.ts';
import { callIn, messageMethod } from '../../src/model/sent.ts';
import { startReferenceServer } from '../../src/reference/server.ts';
import { contract } from '../contract/contracts.ts';
import { startHttpSubject } from '../mcp/http-subject.ts';
import { startPipedSubject } from '../mcp/piped-subject.ts';
import { checkHere } from './check-here.ts';

const ROW = 'contract/unbroken';

interface Started {
  readonly url: string;
  readonly options: CheckOptions;
  readonly close: () => unknown;
}

const OFFERS = { offers: ['prompts', 'resources'] } as const;

/** A server of each wire, with a function, and where an answer lists the schema of its arguments. */
const SERVERS: Readonly<
  Record<string, { readonly start: () => Promise<Started>; readonly name: string; readonly pointer: RegExp }>
> = {
  'form A': { start: () => rest('A'), name: 'add', pointer: /^\/functions\/\d+\/inputs$/ },
  'form B': { start: () => rest('B'), name: 'add', pointer: /^\/functions\/\d+\/parameters\/properties\/a$/ },
  'MCP over HTTP': {
    start: async () => {
      const { url, close } = await startHttpSubject({ ...OFFERS, pageSize: 2 });
      return { url, options: { mcp: {} }, close };
    },
    name: 'add',
    pointer: /^\/result\/tools\/\d+\/inputSchema\/properties\/a$/,
  },
  'MCP over HTTP, stateless': {
    start: async () => {
      const { url, close } = await startHttpSubject({ ...OFFERS, era: 'stateless' });
      return { url, options: { mcp: {} }, close };
    },
    name: 'add',
    pointer: /^\/result\/tools\/\d+\/inputSchema\/properties\/a$/,
  },
  'MCP over standard streams': {
    start: async () => {
      const { command, close } = await startPipedSubject(OFFERS);
      return { url: 'node subject.js', options: { mcp: { command } }, close };
    },
    name: 'add',
    pointer: /^\/result\/tools\/\d+\/inputSchema\/properties\/a$/,
  },
};

async function rest(form: 'A' | 'B'): Promise<Started> {
  const { url, close } = await startReferenceServer({ form });
  return { url, options: {}, close };
}

describe.each(Object.entries(SERVERS))('a server of %s', (_, { start, name, pointer }) => {
  let server: Started;
  let offered: Contract;

  const checked = (against: Contract, more: CheckOptions = {}): Promise<TestResult> =>
    checkHere(
      server.url,
      { seed: 1, latency: { off: true }, only: [ROW], contract: against, ...server.options, ...more },
      { signal: new AbortController().signal },
    );
  const row = ({ results }: TestResult) => results.find(({ id }) => id === ROW);

  beforeAll(async () => {
    server = await start();
    const result = await checked(contract());
    offered = contractOf(result) as Contract;
  });
  afterAll(() => server.close());

  test('has a contract that is read without a call, and is the same again', async () => {
    expect(offered.functions.map((one) => one.name)).toContain(name);
    expect(offered.unread).toEqual([]);
    const result = await checked(offered);
    expect(contractText(contractOf(result) as Contract)).toBe(contractText(offered));
    expect(row(result)?.outcome).toBe('passed');
    expect(result.clientView?.changes).toEqual([]);
    expect(result.exchanges.filter(({ request }) => callIn(request) !== null)).toEqual([]);
    if (offered.wire !== 'mcp') return;
    const methods = result.exchanges.map(({ request }) => messageMethod(request));
    expect(methods).toEqual(
      expect.arrayContaining(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']),
    );
  });

  test('fails where a call that was right may be refused now, in the place of the change', async () => {
    const older = offered.functions.map((one) =>
      one.name === name ? { ...one, input: withoutRequired(one.input as JsonObject) } : one,
    );
    const result = await checked({ ...offered, functions: older });
    expect(row(result)).toMatchObject({ outcome: 'failed', level: 'MUST' });
    const [finding] = result.findings;
    expect(finding).toMatchObject({ id: ROW, outcome: 'failed', subject: name });
    expect(finding?.message).toContain('is required');
    expect(finding?.where.pointer).toMatch(pointer);
    expect(finding?.where.exchange).toBeDefined();
    expect(result.clientView?.changes?.[0]).toMatchObject({ kind: 'breaking', of: 'function', name });
  });

  test('fails where a function is gone, and says what was added without a finding', async () => {
    const [first, ...others] = offered.functions;
    const gone = {
      name: 'gone',
      input: null,
      output: null,
      description: 'Does what is not needed any more.',
    };
    const result = await checked({ ...offered, functions: [...others, gone] });
    expect(result.findings).toHaveLength(1);
    expect(result.findings[0]?.message).toContain('"gone": it was removed');
    expect(result.clientView?.changes).toMatchObject([
      { kind: 'breaking', name: 'gone' },
      { kind: 'additive', name: first?.name },
    ]);
  });

  test('is undecided where it cannot be told', async () => {
    const older = offered.functions.map((one) => (one.name === name ? { ...one, input: null } : one));
    const result = await checked({ ...offered, functions: older });
    expect(row(result)?.outcome).toBe('undecided');
    expect(result.findings[0]).toMatchObject({
      outcome: 'undecided',
      because: 'not-exercised',
      subject: name,
    });
  });

  test('is not judged by it without a contract, and lists that were not read are not said to be empty', async () => {
    const only = offered.wire === 'mcp' ? ['mcp/tools-listed'] : ['capabilities/*'];
    const result = await checked(offered, { only, contract: undefined });
    expect(row(result)).toBeUndefined();
    expect(result.clientView?.changes).toBeUndefined();
    const listed = contractOf(result) as Contract;
    expect(listed.unread).toEqual(
      offered.wire === 'mcp' ? ['prompts', 'resourceTemplates', 'resources'] : [],
    );
    expect(compareContracts(offered, listed)).toEqual([]);
  });
});

function withoutRequired({ required: _required, ...schema }: JsonObject): JsonObject {
  return { ...schema, required: [] };
}
