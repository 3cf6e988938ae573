import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { checkTarget, rowsWith } from './expect-clean.ts';
import { described, type OfferedFunction, offering, Refusal } from './offering.ts';
import { type ArrivedRequest, jsonAnswer, serve } from './serve.ts';

const FORMS = ['A', 'B'] as const;
type Form = (typeof FORMS)[number];
const WHOLE = { samples: {}, skip: ['inputs/*'] };

const NOT_FOUND = { error: { code: 'NOT_FOUND', message: 'Not found' } };

/** Functions that know none of the made-up ids. */
function refusing(form: Form, body: unknown): readonly OfferedFunction[] {
  return ['get-invoice', 'get-customer'].map((name) => ({
    name,
    descriptor: described(form, ['id'], ['found']),
    run: () => {
      throw new Refusal(404, body);
    },
  }));
}

type Change = (request: ArrivedRequest, status: number) => unknown;

/** Answers what `change` returns, with status 404, instead of the conforming answer. */
async function checkWith(form: Form, change: Change, refusal: unknown = NOT_FOUND): Promise<TestResult> {
  const conform = offering(form, refusing(form, refusal));
  return checkTarget(
    serve(async (request) => {
      const answer = await conform(request);
      const body = change(request, answer.status);
      return body === undefined ? answer : jsonAnswer(404, body);
    }),
    WHOLE,
  );
}

const messages = ({ findings }: TestResult, outcome: string): readonly string[] =>
  findings.filter((one) => one.outcome === outcome && one.level === 'MUST').map(({ message }) => message);

describe.concurrent('a server without /execute', () => {
  test.each(FORMS)('has one finding, which blocks what calls would show, form %s', async (form) => {
    const result = await checkWith(form, ({ method, path }) =>
      method === 'POST' || !['/health', '/capabilities'].includes(path)
        ? { error: { code: 'NOT_FOUND', message: `Cannot ${method} ${path}` } }
        : undefined,
    );
    expect(messages(result, 'failed')).toEqual(['/execute is missing: nothing handles a call']);
    expect(result.findings.filter(({ outcome }) => outcome === 'undecided')).toEqual([]);
    const [finding] = result.findings.filter(({ id }) => id === 'execute/status-200');
    expect(finding).toMatchObject({ received: 'status 404', fault: 'server' });
    expect(finding?.where.function).toBeUndefined();
    expect(finding?.fix).toContain('POST /execute');
    const blocked = result.results.filter(({ blockedBy }) => blockedBy !== undefined);
    expect(new Set(blocked.map(({ blockedBy }) => blockedBy))).toEqual(new Set(['execute/status-200']));
    expect(blocked.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['errors/error-body', 'errors/unknown-function-status']),
    );
    expect(result.verdict).toBe('fail');
  });
});

describe.concurrent('a server whose functions refuse made-up ids with 404', () => {
  test.each(FORMS)('has an /execute, form %s', async (form) => {
    const result = await checkWith(form, () => undefined, {
      error: { code: 'NOT_FOUND', message: 'Invoice not found' },
    });
    expect(messages(result, 'failed')).toEqual([]);
    expect(rowsWith(result, 'undecided')).toContain('execute/status-200');
    expect(result.verdict).toBe('incomplete');
  });

  test.each(FORMS)('has one, if unknown functions get the same error, form %s', async (form) => {
    const result = await checkWith(form, ({ method, path }, status) =>
      method === 'POST' && path === '/execute' && status >= 400 ? NOT_FOUND : undefined,
    );
    expect(messages(result, 'failed').join()).not.toContain('missing: nothing');
    expect(rowsWith(result, 'failed')).toContain('errors/unknown-function-status');
    expect(rowsWith(result, 'undecided')).toContain('execute/status-200');
  });

  test.each(FORMS)('has one, if it says that it knows no function, form %s', async (form) => {
    const result = await checkWith(form, ({ method }) =>
      method === 'POST' ? { error: { code: 'FUNCTION_NOT_FOUND', message: 'No function.' } } : undefined,
    );
    expect(messages(result, 'failed')).toContain('the status is 404');
  });
});
