import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Form } from '../../src/model/requirement.ts';
import { createReference } from '../../src/reference/contract.ts';
import { checkTarget, expectClean, rowsWith } from './expect-clean.ts';
import { described, offering } from './offering.ts';
import { jsonAnswer, type Members, referenceWith, referenceWithJson, serve } from './serve.ts';

const FORMS: readonly Form[] = ['A', 'B'];

const never = new Promise<never>(() => undefined);

function other(form: Form): Form {
  return form === 'A' ? 'B' : 'A';
}

describe.concurrent('a slow target', () => {
  test.each(FORMS)('that takes 400 ms for each answer, form %s', async (form) => {
    const answer = referenceWith(form, async (answered) => {
      await wait(400);
      return answered;
    });
    const result = await checkTarget(serve(answer));
    expectClean(result, { form });
    const execute = result.responseTimes.find(
      ({ operation, function: name }) => operation === 'execute' && name === undefined,
    );
    expect(execute?.minMs).toBeGreaterThanOrEqual(390);
    expect(execute?.errors).toBe(0);
  });

  test('that takes longer for calls, and reports it in executionTime', async () => {
    const answer = referenceWith('B', async (answered, { path }) => {
      if (path !== '/execute') return answered;
      await wait(150);
      const value = JSON.parse(answered.body) as Members;
      return 'executionTime' in value ? jsonAnswer(200, { ...value, executionTime: 150 }) : answered;
    });
    expectClean(await checkTarget(serve(answer)), { form: 'B' });
  });

  test('that never answers one request fails only because of that', async () => {
    const answer = referenceWith('B', async (answered, { path }) => {
      if (path === '/capabilities') await never;
      return answered;
    });
    const result = await checkTarget(serve(answer), { requestTimeoutMs: 8000 });
    expect(rowsWith(result, 'failed')).toEqual(['capabilities/reachable']);
    expect(result.findings.map(({ fault, received }) => [fault, received])).toEqual([
      ['server', 'none: timeout'],
    ]);
    expect(rowsWith(result, 'undecided')).toEqual([]);
  });
});

describe.concurrent('form A without types and examples', () => {
  test('descriptors with names only are enough', async () => {
    const names = ['weather', 'translate', 'sum', 'send'];
    const inputs = [['city', 'days'], ['text', 'language'], ['numbers'], ['email', 'message']];
    const functions = names.map((name, index) => ({
      name,
      descriptor: described('A', inputs[index] ?? [], [`${name}-result`]),
      run: (input: Members) => ({ [`${name}-result`]: Object.values(input).flat().length }),
    }));
    const result = await checkTarget(serve(offering('A', functions)), { samples: {} });
    expect(rowsWith(result, 'failed')).toEqual(['documentation/examples']);
    expect(rowsWith(result, 'blocked', 'undecided')).toEqual([]);
    expect(result.verdict).toBe('pass');
    const [sent] = result.samples.filter((sample) => sample.function === 'send').map(({ input }) => input);
    expect(sent).toEqual({ email: 'someone@example.com', message: 'probity' });
  });
});

describe.concurrent('a given form', () => {
  test.each(FORMS)('that is right gives the same result as a detected one, form %s', async (form) => {
    expectClean(await checkTarget(serve(createReference({ form }).answer), { form }), { form });
  });

  test.each(FORMS)(
    'that is wrong is never a pass, and fails only rows of that form, form %s',
    async (form) => {
      const result = await checkTarget(serve(createReference({ form }).answer), {
        form: other(form),
        samples: {},
      });
      expect(result.verdict).toBe('fail');
      const blamed = rowsWith(result, 'failed');
      const payload = form === 'A' ? 'execute/result-object' : 'execute/output-object';
      expect(blamed).toContain(payload);
      expect(blamed.filter((id) => /^(health|documentation|errors)\//.test(id))).toEqual([]);
      // Answers in the other form do not show whether the two endpoints agree.
      expect(blamed).not.toContain('capabilities/form-uniform');
      expect(result.target.form).toEqual({ capabilities: other(form), execute: other(form) });
    },
  );
});

describe.concurrent('targets that break one rule', () => {
  test('404 for unknown functions in form A is two warnings, and still a pass', async () => {
    const answer = referenceWith('A', (answered) =>
      answered.body.includes('FUNCTION_NOT_FOUND')
        ? {
            ...answered,
            status: 404,
            body: JSON.stringify({ error: { code: 'NOT_FOUND', message: 'None.' } }),
          }
        : answered,
    );
    const result = await checkTarget(serve(answer));
    expect(rowsWith(result, 'failed')).toEqual([
      'errors/unknown-function-status',
      'errors/unknown-function-code',
    ]);
    expect(result.findings.every(({ severity }) => severity === 'warning')).toBe(true);
    expect(rowsWith(result, 'blocked', 'undecided')).toEqual([]);
    expect(result.verdict).toBe('pass');
    expect(result.summary).toMatchObject({ failed: 0, warnings: 2 });
  });

  test('404 for unknown functions in form A, with a page instead of an error body', async () => {
    const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not Found</h1>' };
    const answer = referenceWith('A', (answered) =>
      answered.body.includes('FUNCTION_NOT_FOUND') ? page : answered,
    );
    const result = await checkTarget(serve(answer));
    expect(result.findings.every(({ severity }) => severity === 'warning')).toBe(true);
    expect(rowsWith(result, 'failed')).toEqual([
      'errors/unknown-function-status',
      'errors/error-body',
      'errors/unknown-function-code',
    ]);
    expect(result.verdict).toBe('pass');
  });

  test('the same in form B is a failure', async () => {
    const answer = referenceWith('B', (answered) =>
      answered.body.includes('FUNCTION_NOT_FOUND') ? { ...answered, status: 404 } : answered,
    );
    const result = await checkTarget(serve(answer));
    expect(rowsWith(result, 'failed')).toEqual(['errors/unknown-function-status']);
    expect(result.verdict).toBe('fail');
  });

  test.each(FORMS)(
    'a redirect from /health fails its status, and blocks rows that depend on it, form %s',
    async (form) => {
      const answer = referenceWith(form, (answered, { path }) =>
        path === '/health' ? { status: 302, headers: { location: '/health/' }, body: '' } : answered,
      );
      const result = await checkTarget(serve(answer));
      expect(rowsWith(result, 'failed')).toEqual(['health/status-200']);
      expect(result.findings).toHaveLength(1);
      expect(result.findings[0]).toMatchObject({ received: 'status 302', fault: 'server' });
      const blocked = result.results.filter(({ blockedBy }) => blockedBy !== undefined);
      expect(new Set(blocked.map(({ blockedBy }) => blockedBy))).toEqual(new Set(['health/status-200']));
      expect(blocked.every(({ id }) => /^health\/|^capabilities\/versions-agree$/.test(id))).toBe(true);
      expect(result.served.arrived.every(({ path }) => path !== '/health/')).toBe(true);
      expect(result.verdict).toBe('fail');
    },
  );

  test('a status that is missing from one record fails that record only', async () => {
    const answer = referenceWithJson('B', ({ status: _status, ...value }, { path }) =>
      path === '/health' ? value : { ...(_status === undefined ? {} : { status: _status }), ...value },
    );
    const result = await checkTarget(serve(answer));
    expect(rowsWith(result, 'failed')).toEqual(['health/status-string']);
    expect(rowsWith(result, 'blocked')).toEqual(['health/operational']);
  });
});
