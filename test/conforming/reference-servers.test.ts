import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Form } from '../../src/model/requirement.ts';
import { createReference } from '../../src/reference/contract.ts';
import { type RunningServer, startReferenceServer } from '../../src/reference/server.ts';
import { startExpressServer } from '../fixtures/express-server.ts';
import { findPython, startPythonServer } from '../fixtures/python-server.ts';
import { checkTarget, expectClean } from './expect-clean.ts';
import { serve } from './serve.ts';

const FORMS: readonly Form[] = ['A', 'B'];
const hasIpv6 = await new Promise<boolean>((resolve) => {
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen(0, '::1', () => server.close(() => resolve(true)));
});
const ipv6Note = hasIpv6 ? '' : ' (skipped: this machine has no ::1)';
const hasPython = findPython() !== undefined;

interface Implementation {
  readonly name: string;
  readonly available: boolean;
  readonly start: (options: { readonly form: Form }) => Promise<RunningServer>;
}

const IMPLEMENTATIONS: readonly Implementation[] = [
  { name: 'Fastify', available: true, start: startReferenceServer },
  { name: 'Express', available: true, start: startExpressServer },
  {
    name: hasPython ? 'Python' : 'Python (skipped: no Python 3.8+ found)',
    available: hasPython,
    start: startPythonServer,
  },
];

describe.concurrent.each(IMPLEMENTATIONS)('the reference contract through $name', ({ available, start }) => {
  test.skipIf(!available).each(FORMS)('form %s', async (form) => {
    expectClean(await checkTarget(start({ form })), { form });
  });
});

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
    expect(result.exchanges.every(({ request }) => !request.url.includes('//', 'http://'.length))).toBe(true);
  });

  test.skipIf(!hasIpv6).each(FORMS)(`is an IPv6 address${ipv6Note}, form %s`, async (form) => {
    const result = await checkTarget(startReferenceServer({ form, host: '::1' }));
    expectClean(result, { form });
    expect(result.target.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  });

  test('holds a base path with escapes', async () => {
    const reference = createReference({ form: 'B' });
    const served = serve(reference.answer, { basePath: '/mcp%20server/%C3%A9t%C3%A9' });
    expectClean(await checkTarget(served), { form: 'B' });
  });

  test('is a name that only one family of addresses answers for', async () => {
    const served = await serve(createReference({ form: 'B' }).answer);
    const { port } = new URL(served.url);
    expectClean(await checkTarget({ url: `http://localhost:${port}`, close: served.close }), { form: 'B' });
  });
});
