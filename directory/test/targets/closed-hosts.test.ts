import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createReference } from '../../../src/reference/contract.ts';
import { type ServedTarget, serve } from '../../../test/conforming/serve.ts';
import { DEFAULT_BUDGET } from '../../src/settings/settings.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { answerWith, startHostile } from '../gateway/hostile-mcp-server.ts';

let directory: DirectoryUnderTest;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  directory = await startDirectory({ budget: DEFAULT_BUDGET });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await directory?.stop();
});

/** Two servers of one host, of its own address, which refuses calls for half an hour. */
async function startLimited(id: string, host: string): Promise<ServedTarget> {
  const reference = createReference({ form: 'A' });
  const target = await serve(
    async (request) => {
      const own = { ...request, path: request.path.replace(/^\/(one|two)/, '') };
      const usual = await reference.answer(own);
      return own.path === '/execute'
        ? { ...usual, status: 429, headers: { ...usual.headers, 'retry-after': '1800' } }
        : usual;
    },
    { host },
  );
  closing.push(target.close);
  await directory.list(`${id}-1`, `${target.url}/one`);
  await directory.list(`${id}-2`, `${target.url}/two`);
  return target;
}

/** Asserts that a test is refused for such a time, in seconds. */
async function expectClosed(id: string, [least, most]: readonly [number, number]): Promise<void> {
  const beganAtMs = Date.now();
  const refused = await directory.test(id);
  const { code, detail, retryAfterSeconds } = (await refused.json()) as Record<string, unknown>;
  expect([refused.status, code]).toEqual([429, 'rate-limited']);
  const [, until] = /asked the directory not to send requests until (\S+); retry in \d+ s/.exec(
    String(detail),
  ) ?? [null, ''];
  const seconds = (Date.parse(String(until)) - beganAtMs) / 1000;
  expect(seconds).toBeGreaterThan(least);
  expect(seconds).toBeLessThanOrEqual(most);
  expect(refused.headers.get('retry-after')).toBe(String(retryAfterSeconds));
}

/** What the server asks for. */
const ITS_OWN = [1700, 1801] as const;
/** One server may speak for itself only. */
const THE_OTHERS = [0, 61] as const;

describe('a server that asks for a wait', () => {
  it('in its answer to a call is not tested until then, and callers learn why', async () => {
    const target = await startLimited('called', '127.6.0.1');
    const call = await directory.execute('called-1', { function: 'add', input: { a: 1, b: 2 } });
    expect([call.status, call.body.code, call.body.retryAfterSeconds]).toEqual([429, 'rate-limited', 1800]);
    const before = target.arrived.length;
    await expectClosed('called-1', ITS_OWN);
    await expectClosed('called-2', THE_OTHERS);
    expect(target.arrived).toHaveLength(before);
  });

  it('in its answer to a request of a test is not tested again until then', async () => {
    const target = await startLimited('tested', '127.6.0.2');
    expect((await directory.test('tested-1')).status).toBe(200);
    const before = target.arrived.length;
    await expectClosed('tested-1', ITS_OWN);
    await expectClosed('tested-2', THE_OTHERS);
    expect(target.arrived).toHaveLength(before);
  });

  it('in an answer of the Model Context Protocol to a test is not tested again until then', async () => {
    let asked = 0;
    const endpoint = await startHostile(
      (question, response) => {
        asked += 1;
        if (question.method === 'tools/call') response.writeHead(429, { 'retry-after': '1800' }).end();
        else answerWith(response, question, { tools: [{ name: 'add', inputSchema: { type: 'object' } }] });
      },
      { host: '127.6.0.3' },
    );
    for (const id of ['bridged-1', 'bridged-2'])
      await directory.list(id, `${endpoint}/${id}`, { protocol: 'mcp' });
    expect((await directory.test('bridged-1')).status).toBe(200);
    const before = asked;
    await expectClosed('bridged-1', ITS_OWN);
    await expectClosed('bridged-2', THE_OTHERS);
    expect(asked).toBe(before);
  });
});
