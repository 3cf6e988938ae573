import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/json/json.ts';
import { wrongTarget } from '../../../src/report/view/report-view.ts';
import { answer } from '../../checks/example.ts';
import { resultOf } from '../results.ts';

function problemOf(...paths: readonly string[]): string | undefined {
  const exchanges = paths.map((path) =>
    answer({ key: `read${path}#0`, status: 404, request: { url: `http://target.example${path}` } }),
  );
  return wrongTarget(resultOf([], { exchanges }))?.problem;
}

test('only operations that were requested are said to be missing', () => {
  expect(problemOf('/health', '/capabilities')).toBe(
    'GET /health and GET /capabilities are answered with status 404',
  );
  expect(problemOf('/health')).toBe('GET /health is answered with status 404');
  expect(problemOf('/capabilities')).toBe('GET /capabilities is answered with status 404');
});

function answeredWith(status: number, ...bodies: readonly JsonObject[]): string | undefined {
  const exchanges = bodies.map((value, index) =>
    answer({
      key: `read/${index}#0`,
      status,
      value,
      request: { url: `http://target.example/${index === 0 ? 'health' : 'capabilities'}` },
    }),
  );
  return wrongTarget(resultOf([], { exchanges }))?.remedy;
}

test('a server that answers every read with JSON-RPC is recognised by any status, another one is not', () => {
  const message = { jsonrpc: '2.0', id: null, error: { code: -32_601, message: 'Method not found' } };
  expect(answeredWith(200, message, message)).toContain('--mcp');
  expect(answeredWith(400, message, { error: 'no' })).toContain('--mcp');
  expect(answeredWith(200, { status: 'ok' }, message)).toBeUndefined();
  expect(answeredWith(200, { status: 'ok' }, { functions: [] })).toBeUndefined();
});
