import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { overHttp } from '../../src/model/sent.ts';
import { createReference } from '../../src/reference/contract.ts';
import { type RunningServer, startReferenceServer } from '../../src/reference/server.ts';
import { startExpressServer } from '../fixtures/express-server.ts';
import { startPythonServer, whyNoPython } from '../fixtures/python-server.ts';
import { unless } from '../set-up/skips.ts';
import { checkTarget, expectClean, rowsWith } from './expect-clean.ts';
import { serve } from './serve.ts';

const FORMS: readonly Form[] = ['A', 'B'];
const hasIpv6 = await new Promise<boolean>((resolve) => {
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen(0, '::1', () => server.close(() => resolve(true)));
});
const missingIpv6 = hasIpv6 ? null : 'this machine has no ::1';

interface Implementation {
  readonly name: string;
  readonly missing: string | null;
  readonly start: (options: { readonly form: Form }) => Promise<RunningServer>;
}

const IMPLEMENTATIONS: readonly Implementation[] = [
  { name: 'Fastify', missing: null, start: startReferenceServer },
  { name: 'Express', missing: null, start: startExpressServer },
  { name: 'Python', missing: whyNoPython(), start: startPythonServer },
];

/** The statuses of the reference for negative steps. Other servers may differ, but these are good defaults. */
const REFUSALS: Readonly<Record<string, number>> = {
  'malformed-json(cut-short)': 400,
  'malformed-json(words)': 400,
  'empty-body': 400,
  'non-object-body(null)': 400,
  'non-object-body(array)': 400,
  'non-object-body(string)': 400,
  'non-object-body(number)': 400,
  'function-missing': 400,
  'function-not-string(null)': 400,
  'function-not-string(number)': 400,
  'function-not-string(array)': 400,
  'function-not-string(object)': 400,
  'input-not-object[current-time](array)': 400,
  'input-not-object[current-time](string)': 400,
  'input-not-object[current-time](number)': 400,
  'wrong-content-type(text)': 415,
  'wrong-content-type(xml)': 415,
  'invalid-utf8': 400,
  'large-body': 413,
  'long-name': 400,
  'unknown-path': 404,
  'get-execute': 405,
  'post-health': 405,
};

describe.concurrent.each(IMPLEMENTATIONS)('the reference contract through $name', ({ missing, start }) => {
  test.each(FORMS)('form %s, with all rows', unless(missing), async (form) => {
    const result = await checkTarget(start({ form }), { skip: [] });
    expectClean(result, { form });
    const beyond = rowsWith(result, 'inapplicable').filter((id) =>
      /^(robustness|security|transport)/.test(id),
    );
    // The address is plain http on this machine, and no listing promises WebSocket.
    expect(beyond).toEqual(['security/certificate', 'transport/websocket']);
    expect(statusesOfNegativeSteps(result)).toEqual(REFUSALS);
  });
});

/** Status by step and case, where only one status is correct. */
function statusesOfNegativeSteps({ exchanges }: TestResult): Readonly<Record<string, number | string>> {
  const answers = exchanges.map(overHttp).map((exchange): readonly [string, number | string] => {
    const name = exchange.request.key
      .replace(/^robustness\//, '')
      .replace(/^parameters-not-object/, 'input-not-object')
      .replace(/#0$/, '');
    return [name, exchange.kind === 'answered' ? exchange.response.status : exchange.reason.code];
  });
  return Object.fromEntries(answers.filter(([name]) => Object.hasOwn(REFUSALS, name)));
}

describe.concurrent('the address', () => {
  test.each(FORMS)('holds a base path, form %s', async (form) => {
    const result = await checkTarget(startReferenceServer({ form, basePath: '/team/mcp/v1' }));
    expectClean(result, { form });
    expect(result.target.url).toMatch(/:\d+\/team\/mcp\/v1$/);
  });

  test.each(FORMS)('holds a base path and a trailing slash, form %s', async (form) => {
    const server = await startReferenceServer({ form, basePath: '/mcp' });
    const result = await checkTarget({ url: `${server.url}/`, close: server.close });
    expectClean(result, { form });
    expect(result.target.url).toBe(server.url);
    expect(
      result.exchanges.map(overHttp).every(({ request }) => !request.url.includes('//', 'http://'.length)),
    ).toBe(true);
  });

  test.each(FORMS)('is an IPv6 address, form %s', unless(missingIpv6), async (form) => {
    const result = await checkTarget(startReferenceServer({ form, host: '::1' }));
    expectClean(result, { form });
    expect(result.target.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  });

  test('holds a base path with escapes', async () => {
    const reference = createReference({ form: 'B' });
    const served = serve(reference.answer, { basePath: '/mcp%20server/%C3%A9t%C3%A9' });
    expectClean(await checkTarget(served), { form: 'B' });
  });

  test('is a name that answers on one address family only', async () => {
    const served = await serve(createReference({ form: 'B' }).answer);
    const { port } = new URL(served.url);
    expectClean(await checkTarget({ url: `http://localhost:${port}`, close: served.close }), { form: 'B' });
  });
});
