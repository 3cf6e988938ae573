import { describe, expect, test } from 'vitest';
import { checkTarget, findingsInBrief, rowsWith } from './expect-clean.ts';
import { type OfferedFunction, offering } from './offering.ts';
import { type Members, serve } from './serve.ts';

/** Refuses what its schema does not accept, as `offering` does, and says back what it was given. */
function takes(name: string, schema: Members): OfferedFunction {
  return {
    name,
    descriptor: {
      parameters: { type: 'object', properties: { it: schema }, required: ['it'] },
      returns: { type: 'object', properties: { it: {} } },
    },
    run: ({ it }) => ({ it }),
  };
}

const callsOf = (arrived: readonly { readonly body: Uint8Array }[], name: string): number =>
  arrived.filter(({ body }) => Buffer.from(body).includes(`"function":"${name}"`)).length;

describe.concurrent('a server without examples', () => {
  test('is called with inputs that its schemas accept', async () => {
    const functions = [
      takes('getTags', { type: 'array', items: { type: 'string' }, minItems: 3, uniqueItems: true }),
      takes('getCode', { anyOf: [{ type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' }, { type: 'null' }] }),
      takes('getEither', { oneOf: [{ type: 'integer', multipleOf: 7, minimum: 50 }, { type: 'boolean' }] }),
    ];
    const result = await checkTarget(serve(offering('B', functions)));
    expect(findingsInBrief(result).filter((finding) => finding.includes(' execute/'))).toEqual([]);
    expect(rowsWith(result, 'passed')).toContain('execute/status-200');
  });

  test('is not called where no input is accepted, and the report says so', async () => {
    const functions = [
      takes('getSum', { type: 'integer' }),
      takes('getNone', { allOf: [{ enum: ['a'] }, { enum: ['b'] }] }),
    ];
    const result = await checkTarget(serve(offering('B', functions)));
    expect(callsOf(result.served.arrived, 'getNone')).toBe(0);
    expect(rowsWith(result, 'failed').filter((id) => id.startsWith('execute/'))).toEqual([]);
    const [finding] = result.findings.filter(({ where }) => where.function === 'getNone');
    expect(finding).toMatchObject({
      outcome: 'undecided',
      curl: null,
      message: expect.stringContaining(
        'no input that the declared parameters of "getNone" accept could be generated',
      ),
      fix: expect.stringContaining('Add an example to the descriptor, or an input under samples: "getNone"'),
    });
  });
});
