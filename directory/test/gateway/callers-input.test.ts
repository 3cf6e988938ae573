import { startReferenceServer } from 'probity';
import type { TestResult } from 'probity/model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { validateTestResult } from '../../../src/generated/test-result.js';
import { createReference } from '../../../src/reference/contract.ts';
import { serve } from '../../../test/conforming/serve.ts';
import { eventually } from '../../../test/eventually.ts';
import { startHttpSubject } from '../../../test/mcp/http-subject.ts';
import { withoutCallersInput } from '../../src/checking/without-callers-input.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { FEW_FUNCTIONS, requestsUnderWay, startBlockedServer } from '../held-server.ts';

/** Numbers that appear nowhere else. */
const SECRET = { a: 918_273, b: 645_546 };
const REPEATS = /918273|1563819/;

let directory: DirectoryUnderTest;
beforeAll(async () => {
  directory = await startDirectory({ publicPages: true });
});
afterAll(() => directory?.stop());

it('is shown to its caller only', async () => {
  const target = await startBlockedServer('A');
  try {
    await directory.add(listingOf('private', target.url));
    const first = directory.test('private', { input: SECRET });
    await eventually(
      () => directory.details('private'),
      ({ testStartedAt }) => testStartedAt !== null,
    );
    const otherKey = await directory.newKey('test');
    const joined = directory.ask('/v1/servers/private/test', {
      method: 'POST',
      headers: { authorization: `Bearer ${otherKey}` },
    });
    const again = directory.test('private');
    await requestsUnderWay(directory, 3);
    target.release();
    const [own, others, ownAgain] = await Promise.all(
      [first, joined, again].map(async (answer) => (await answer).text()),
    );
    expect(own).toMatch(REPEATS);
    expect(ownAgain).toBe(own);
    expect(others).not.toMatch(REPEATS);
    const shown = JSON.parse(others ?? '') as TestResult;
    const whole = JSON.parse(own ?? '') as TestResult;
    expect([validateTestResult(shown), validateTestResult.errors]).toEqual([true, null]);
    expect([shown.id, shown.verdict, shown.summary]).toEqual([whole.id, whole.verdict, whole.summary]);
    expect(shown.results.map(({ id, outcome }) => [id, outcome])).toEqual(
      whole.results.map(({ id, outcome }) => [id, outcome]),
    );
    for (const route of ['/v1/servers/private', '/servers/private'])
      expect(await (await directory.ask(route)).text()).not.toMatch(REPEATS);
  } finally {
    await target.close();
  }
});

it('is not in the findings about its function either', async () => {
  const reference = createReference({ form: 'A', functions: FEW_FUNCTIONS });
  const target = await serve(async (request) => {
    const answer = await reference.answer(request);
    if (request.path !== '/execute' || !Buffer.from(request.body).includes('918273')) return answer;
    return { ...answer, status: 500, body: JSON.stringify({ error: { code: 'E', message: 'no 918273' } }) };
  });
  try {
    await directory.add(listingOf('failing', target.url));
    const own = await (await directory.test('failing', { input: SECRET })).text();
    expect(own).toMatch(REPEATS);
    for (const route of ['/v1/servers/failing', '/servers/failing'])
      expect(await (await directory.ask(route)).text()).not.toMatch(REPEATS);
  } finally {
    await target.close();
  }
});

it('is not in what others see of messages of the Model Context Protocol, whatever is wrong with them', async () => {
  const target = await startHttpSubject({
    only: ['add'],
    change: (message, request) =>
      JSON.stringify(request).includes('918273')
        ? {
            ...message,
            result: { content: [{ type: 'text', text: 918273 }], structuredContent: { sum: 'no 918273' } },
          }
        : message,
  });
  try {
    await directory.add(listingOf('speaking', target.url, { protocol: 'mcp' }));
    const own = await (await directory.test('speaking', { input: SECRET })).text();
    const result = JSON.parse(own) as TestResult;
    const quoting = result.findings.filter((finding) => REPEATS.test(JSON.stringify(finding)));
    expect(quoting.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['mcp/result-content', 'mcp/structured-content']),
    );
    expect(JSON.stringify(withoutCallersInput(result, ['add']))).not.toMatch(REPEATS);
    for (const route of ['/v1/servers/speaking', '/servers/speaking'])
      expect(await (await directory.ask(route)).text()).not.toMatch(REPEATS);
  } finally {
    await target.close();
  }
});

it('may be empty, as in the smallest body of the specification', async () => {
  const target = await startReferenceServer({ form: 'B' });
  try {
    await directory.add(listingOf('smallest', target.url));
    // The second time, the functions are known, and each requires inputs.
    for (const body of [{ input: {} }, { input: {} }])
      expect((await directory.test('smallest', body)).status).toBe(200);
  } finally {
    await target.close();
  }
});
