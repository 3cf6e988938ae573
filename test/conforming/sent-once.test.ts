import { describe, expect, test } from 'vitest';
import type { Form } from '../../src/model/requirement.ts';
import { overHttp } from '../../src/model/sent.ts';
import { createReference } from '../../src/reference/contract.ts';
import { checkTarget } from './expect-clean.ts';
import { type ArrivedRequest, type Members, serve } from './serve.ts';

/**
 * How many requests a whole check of the reference server takes. Calls may cost money or change something: raise these
 * only if the additional requests are worth it.
 */
const MAX_REQUESTS: Readonly<Record<Form, number>> = { A: 67, B: 180 };

/**
 * Steps that repeat requests: to compare reads, to compare concurrent calls, or to vary what the identity leaves
 * out.
 */
const MAY_REPEAT = [
  /^health\/read#[01]$/,
  /^capabilities\/read#[01]$/,
  /^execute\/call\[/,
  /^execute\/(state-before|state-after|again|other)\[/,
  /^execute\/(together|alone|alone-again)\[/,
  /^execute\/request-id\[/,
  /^execute\/no-request-id\[/,
  /^execute\/authorization\[/,
];

function identityOf({ method, path, headers, body }: ArrivedRequest): string {
  const { host: _host, ...sent } = headers;
  return JSON.stringify([method, path, withoutRequestId(body), sent]);
}

function withoutRequestId(body: Uint8Array): unknown {
  const text = Buffer.from(body).toString();
  try {
    const { requestId: _requestId, ...call } = JSON.parse(text) as Members;
    return call;
  } catch {
    return text;
  }
}

describe.concurrent('no request is sent twice', () => {
  test.each(['A', 'B'] as const)('form %s', async (form) => {
    const { exchanges, served } = await checkTarget(serve(createReference({ form }).answer));
    const { arrived } = served;

    const keys = exchanges.map(({ request }) => request.key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(arrived).toHaveLength(keys.length);
    expect(arrived.length, `form ${form}: ${arrived.length} requests`).toBeLessThanOrEqual(
      MAX_REQUESTS[form],
    );

    // Every request is in the report, and only those of a few steps are repeated.
    const remaining = exchanges.map(overHttp).map(({ request }) => request);
    const keysByIdentity = new Map<string, string[]>();
    for (const request of arrived) {
      const index = remaining.findIndex(
        ({ method, url, body }) =>
          method === request.method &&
          new URL(url).pathname === request.path &&
          (body === null ? '' : 'text' in body ? body.text : '') === Buffer.from(request.body).toString(),
      );
      const [found] = index < 0 ? [] : remaining.splice(index, 1);
      const identity = identityOf(request);
      keysByIdentity.set(identity, [...(keysByIdentity.get(identity) ?? []), found?.key ?? 'of no exchange']);
    }
    expect(remaining).toEqual([]);
    // Generated inputs may be those of another step, or sent again on purpose.
    const repeated = [...keysByIdentity.values()]
      .map((group) => group.filter((key) => !key.startsWith('inputs/')))
      .filter((group) => group.length > 1)
      .flat();
    expect(repeated.filter((key) => !MAY_REPEAT.some((pattern) => pattern.test(key)))).toEqual([]);
  });

  test('a plain read-only check sends four requests and no calls', async () => {
    const { served } = await checkTarget(serve(createReference({ form: 'B' }).answer), { readOnly: true });
    expect(served.arrived.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /capabilities',
      'GET /capabilities',
      'GET /health',
      'GET /health',
    ]);
  });

  test('a target with another form in /execute costs two more calls', async () => {
    const described = createReference({ form: 'B' });
    const executed = createReference({ form: 'A' });
    const { served, target } = await checkTarget(
      serve((request) => (request.path === '/execute' ? executed : described).answer(request)),
    );
    expect(target.form).toEqual({ capabilities: 'B', execute: 'A' });
    expect(served.arrived.length).toBeLessThanOrEqual(MAX_REQUESTS.A + 2);
  });
});
