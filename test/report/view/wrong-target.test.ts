import { expect, test } from 'vitest';
import { wrongTarget } from '../../../src/report/view/wrong-target.ts';
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
