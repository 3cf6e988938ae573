import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import { parseExactly } from '../../src/json/exact-json.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { TestResult } from '../../src/model/report.ts';
import { createReference } from '../../src/reference/contract.ts';
import { readReport } from '../../src/report/read-report.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { checkTarget, findingsInBrief } from './expect-clean.ts';
import { type Answering, jsonAnswer, type Members, type ServedTarget, serve } from './serve.ts';

/** Neighbours, which one double stands for, and a price of more digits than a double has. */
const ORDERS: ReadonlyMap<string, string> = new Map([
  ['174322306148984899', '12.50000000000000000001'],
  ['174322306148984901', '3'],
  ['333333333333333333', '0.10000000000000001'],
]);
const [ID = ''] = ORDERS.keys();

function functionsWith(example: string | null): readonly Members[] {
  const order = {
    type: 'object',
    properties: { id: { type: 'integer' }, total: { type: 'number' } },
    required: ['id', 'total'],
  };
  return [
    {
      name: 'listOrders',
      description: 'Lists the ids of all orders.',
      parameters: { type: 'object', properties: {} },
      returns: {
        type: 'object',
        properties: { ids: { type: 'array', items: { type: 'integer' }, uniqueItems: true } },
      },
    },
    {
      name: 'getOrder',
      description: 'Returns one order of listOrders.',
      parameters: {
        type: 'object',
        properties: { id: { type: 'integer', description: 'id of the order, from listOrders' } },
        required: ['id'],
      },
      returns: order,
      ...(example === null ? {} : { examples: [{ parameters: { id: `#${example}` } }] }),
    },
  ];
}

/** Numbers are written as "#digits" until the end, because JSON.stringify would round them. */
function exactly(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"#([^"]+)"/g, '$1');
}

/** Looks up orders by the digits in the request. */
function orders(example: string | null = null): Answering {
  const reference = createReference({ form: 'B' });
  return async (request) => {
    const answer = await reference.answer(request);
    if (answer.status === 200 && request.path === '/capabilities') {
      const own = JSON.parse(answer.body) as Members;
      return { ...answer, body: exactly({ ...own, functions: functionsWith(example) }) };
    }
    if (!answer.body.includes('FUNCTION_NOT_FOUND')) return answer;
    const text = Buffer.from(request.body).toString();
    const { function: name, parameters, requestId } = JSON.parse(text) as Members;
    if (typeof parameters !== 'object' && parameters !== undefined) return answer;
    const served = (result: Members) => ({
      ...jsonAnswer(200, null),
      body: exactly({ requestId, result, executionTime: 0 }),
    });
    if (name === 'listOrders') return served({ ids: [...ORDERS.keys()].map((id) => `#${id}`) });
    if (name !== 'getOrder') return answer;
    const id = /"id":(\d+)\b/.exec(text)?.[1] ?? '';
    const total = ORDERS.get(id);
    return total === undefined
      ? jsonAnswer(400, { error: { code: 'INVALID_INPUT', message: 'There is no such order.' }, requestId })
      : served({ id: `#${id}`, total: `#${total}` });
  };
}

/** The ids of requests that the server answered. */
function known(served: ServedTarget): readonly string[] {
  const sent = served.arrived.flatMap(
    ({ body }) => /"id":(\d{16,})\b/.exec(Buffer.from(body).toString())?.[1] ?? [],
  );
  return [...new Set(sent)].filter((id) => ORDERS.has(id));
}

type Samples = NonNullable<CheckOptions['samples']>;

const sampleOf = (id: string): Samples => ({
  getOrder: [{ input: parseExactly(`{"id":${id}}`) as JsonObject }],
});

describe('an id above 2^53 goes out with the digits that it came with', () => {
  test.each<[what: string, example: string | null, samples: Samples, id: string]>([
    ['of an answer', null, {}, ID],
    ['of an example', '174322306148984901', {}, '174322306148984901'],
    ['of a sample', null, sampleOf('333333333333333333'), '333333333333333333'],
  ])('%s', async (_what, example, samples, id) => {
    const { served, ...result } = await checkTarget(serve(orders(example)), { samples, skip: [] });
    expect(
      findingsInBrief(result).filter((finding) => !/^failed (documentation|security)\//.test(finding)),
    ).toEqual([]);
    expect(result.verdict).toBe('pass');
    expect(known(served)[0]).toBe(id);
  });
});

async function savedAndRead(result: TestResult): Promise<TestResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-numbers-'));
  try {
    const file = path.join(folder, 'report.json');
    writeFileSync(file, serialiseReport(result));
    return await readReport(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a saved report keeps the digits, and is judged in the same way', async () => {
  const refused = '999999999999999999';
  const { served: _, ...result } = await checkTarget(serve(orders()), { samples: sampleOf(refused) });
  const curls = result.findings.flatMap(({ curl }) => curl ?? []).filter((curl) => curl.includes('getOrder'));
  expect(curls.length).toBeGreaterThan(0);
  expect(curls.filter((curl) => !curl.includes(`"id":${refused}}`))).toEqual([]);
  const read = await savedAndRead(result);
  const text = serialiseReport(read);
  expect(text).toBe(serialiseReport(result));
  expect(text).toContain(`"id": ${refused}\n`);
  expect(text).toContain('174322306148984901,\n');
  const again = serialiseReport(await judgeReport(read));
  expect(again).toBe(text);
});
