import { afterAll, describe, expect, it } from 'vitest';
import { validateTestResult } from '../../src/generated/test-result.js';
import type { JsonObject } from '../../src/json/json.ts';
import type { TestResult } from '../../src/model/report.ts';
import { runCommand } from '../cli/run-command.ts';
import { type HttpSubjectOptions, startHttpSubject } from './http-subject.ts';

const PATIENT_FLAGS = ['--timeout', '60', '--deadline', '600'];

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

async function checked(
  options: HttpSubjectOptions,
  flags: readonly string[] = PATIENT_FLAGS,
): Promise<{ code: number | null; stderr: string; result: TestResult }> {
  const server = await startHttpSubject({ only: ['add'], ...options });
  closers.push(server.close);
  const args = ['check', '--mcp', server.url, '--no-latency', '--no-store', '--json', ...flags];
  const { code, stderr, stdout } = await runCommand(args);
  return { code, stderr, result: JSON.parse(stdout) as TestResult };
}

const failedIn = ({ findings }: TestResult): readonly string[] =>
  findings.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);

type Change = NonNullable<HttpSubjectOptions['change']>;

const withTools =
  (changed: (tools: readonly JsonObject[]) => JsonObject): Change =>
  (message, { method }) => {
    const { tools } = (message.result ?? {}) as { readonly tools?: readonly JsonObject[] };
    return method === 'tools/list' && tools !== undefined ? { ...message, result: changed(tools) } : message;
  };

const withProperty = (property: JsonObject): Change =>
  withTools((tools) => ({
    tools: tools.map((tool) => {
      const { properties, ...schema } = tool.inputSchema as JsonObject;
      return {
        ...tool,
        inputSchema: { ...schema, properties: { ...(properties as JsonObject), more: property } },
      };
    }),
  }));

const TUPLE = { type: 'array', description: 'Two numbers.', items: [{ type: 'number' }, { type: 'number' }] };

const inRevision =
  (protocolVersion: string, change: Change): Change =>
  (message, request) =>
    request.method === 'initialize'
      ? { ...message, result: { ...(message.result as JsonObject), protocolVersion } }
      : change(message, request);

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('a server that keeps to the protocol', () => {
  it('passes with a property without a type, which the three endpoints do not have', async () => {
    const change = withProperty({ enum: ['a', 1], description: 'One of two.' });
    const { code, result } = await checked({ change });
    // The server does not look at the property at all.
    expect([code, failedIn(result)]).toEqual([0, ['inputs/invalid-refused']]);
  });

  it('passes with two tools of one name, with a warning', async () => {
    const change = withTools((tools) => ({ tools: [...tools, { ...tools[0], title: 'The same again' }] }));
    const { code, result } = await checked({ change });
    expect([code, failedIn(result)]).toEqual([0, ['mcp/tool-names-unique']]);
  });

  it('may refuse DELETE with an error that has no id', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: 'Not allowed.' },
    });
    const { code, result } = await checked({
      intercept: ({ method }) =>
        method === 'DELETE' ? { status: 405, headers: { 'content-type': 'application/json' }, body } : null,
    });
    expect([code, failedIn(result)]).toEqual([0, []]);
  });

  it('may end a session while it is used, after which a client opens another one', async () => {
    const { code, result } = await checked({ expiresBefore: 6 });
    expect([code, failedIn(result)]).toEqual([0, []]);
    expect(result.conversations?.map(({ name }) => name)).toContain('main-again-1');
  });

  it.each(['closed', 'cut'] as const)(
    'may give an answer to a client that connects again, after a stream that was %s',
    async (polling) => {
      const { code, result } = await checked({ polling });
      expect(failedIn(result)).toEqual([]);
      expect(code).toBe(0);
      expect(validateTestResult(result)).toBe(true);
    },
  );

  it('may list a schema that is nested deeper than a check reads, of which nothing is decided', async () => {
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 400; level += 1) deep = { type: 'object', properties: { a: deep } };
    const { result } = await checked({ change: withProperty({ description: 'Deep.', ...deep }) });
    expect([result.verdict, failedIn(result)]).toEqual(['incomplete', []]);
  });

  it('may have no sessions, and answer DELETE all the same', async () => {
    const { code, result } = await checked({ sessionless: true });
    expect([code, failedIn(result)]).toEqual([0, []]);
  });

  it('may need longer for a call than the check waits, also after the head of a stream', async () => {
    const { result } = await checked({ answers: 'events', holding: 'add' }, ['--timeout', '2']);
    // On a busy machine, other answers may take as long.
    const [row] = result.results.filter(({ id }) => id === 'mcp/calls-answered');
    expect(row).toMatchObject({ outcome: 'undecided', because: 'not-exercised' });
    expect(result.coverage?.notExercised).toMatchObject([{ function: 'add', why: 'no answer within 2 s' }]);
  });

  it('refuses with any error of the protocol, with one warning', async () => {
    const change: Change = (message, { method }) => {
      const { isError } = (message.result ?? {}) as { readonly isError?: boolean };
      return message.error === undefined && isError !== true
        ? message
        : method === 'tools/call'
          ? { jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'Invalid arguments' } }
          : message;
    };
    const { code, result } = await checked({ change });
    expect(code).toBe(0);
    expect(failedIn(result).filter((id) => id.startsWith('errors/') || id.startsWith('inputs/'))).toEqual([]);
  });

  it('may write a tuple as an older draft does before revision 2025-11-25', async () => {
    const { code, result } = await checked({ change: inRevision('2025-06-18', withProperty(TUPLE)) });
    expect([code, failedIn(result)]).toEqual([0, ['inputs/invalid-refused']]);
  });
});

describe.concurrent('a server is failed once, and the rest is judged,', () => {
  it('for a tuple of an older draft without $schema', async () => {
    const { code, result } = await checked({ change: withProperty(TUPLE) });
    expect([code, failedIn(result)]).toEqual([1, ['mcp/tool-input-schema']]);
    const [finding] = result.findings;
    expect(finding?.where.pointer).toContain('/inputSchema/properties/more/items');
    expect(finding?.fix).toContain('draft-07');
  });

  it('for pages that repeat', async () => {
    const { code, result } = await checked({ pageSize: 1, endless: true });
    expect(code).toBe(1);
    expect(failedIn(result).filter((id) => id !== 'mcp/unknown-cursor')).toEqual(['mcp/tool-pages']);
    expect(result.coverage).toMatchObject({ listed: 1, exercised: 1 });
  });
});

describe.concurrent('a server that is set aside', () => {
  it('wants a key: exit code 4, and what to give', async () => {
    const challenge = { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1/x"' };
    const { code, result } = await checked({
      intercept: () => ({ status: 401, headers: challenge }),
    });
    expect(code).toBe(4);
    const opening = result.findings.find(({ id }) => id === 'mcp/initialize-answered');
    expect(opening?.message).toContain('requires a key');
    expect(opening?.fix).toContain('--bearer-env');
    expect(result).toMatchObject({ verdict: 'incomplete', reachable: true });
    expect(failedIn(result)).toEqual([]);
    expect(validateTestResult(result), JSON.stringify(validateTestResult.errors)).toBe(true);
  });

  it('wants a key for its tools alone', async () => {
    for (const gated of ['tools/list', 'tools/call']) {
      const { code, result } = await checked({ gated });
      expect([gated, code, failedIn(result)]).toEqual([gated, 4, []]);
    }
  });
});
