import { describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import type { TestResult } from '../../src/model/report.ts';
import { createReference } from '../../src/reference/contract.ts';
import { checkTarget } from './expect-clean.ts';
import { described, echoing, offering, Refusal } from './offering.ts';
import { type Answering, jsonAnswer, referenceWith, serve } from './serve.ts';

const refused = {
  name: 'look-up',
  descriptor: described('B', ['city'], ['found']),
  run: () => {
    throw new Refusal(422);
  },
};

function everyThirdLimited(): Answering {
  let count = 0;
  return referenceWith('A', (answer) => {
    count += 1;
    return count % 3 === 0
      ? { ...jsonAnswer(429, {}), headers: { 'content-type': 'application/json', 'retry-after': '0' } }
      : answer;
  });
}

interface Saved {
  readonly name: string;
  readonly answer: () => Answering;
  readonly options?: CheckOptions;
}

const TARGETS: readonly Saved[] = (
  [
    ['the reference, form A', () => createReference({ form: 'A' }).answer],
    ['the reference, form B', () => createReference({ form: 'B' }).answer],
    ['a rate limiter', everyThirdLimited],
    ['a required key', () => async () => jsonAnswer(401, { detail: 'No.' })],
    [
      'a given key that is repeated',
      () =>
        referenceWith('B', (answer, { headers }) => ({
          ...answer,
          headers: { ...answer.headers, 'x-you': `${headers.authorization}` },
        })),
      { bearerToken: 'c4nary-0123456789' },
    ],
    [
      'a generated input that is refused',
      () => offering('B', [echoing('B', 'echo'), refused]),
      { samples: {} },
    ],
    [
      'more functions than are called, with odd names',
      () =>
        offering(
          'A',
          Array.from({ length: 70 }, (_, index) => echoing('A', `#0 [${index}] 🚀`)),
        ),
      { samples: {} },
    ],
    [
      'another form in /execute',
      () => {
        const [described, executed] = [createReference({ form: 'B' }), createReference({ form: 'A' })];
        return (request) => (request.path === '/execute' ? executed : described).answer(request);
      },
    ],
    ['a wrong form option', () => createReference({ form: 'A' }).answer, { form: 'B' }],
    [
      'a body that is not JSON',
      () => referenceWith('A', (answer) => ({ ...answer, body: `\uFEFF${answer.body}` })),
    ],
  ] satisfies readonly (readonly [string, () => Answering, CheckOptions?])[]
).map(([name, answer, options = {}]) => ({ name, answer, options }));

describe.concurrent('a saved report, judged again without its target, has the same result', () => {
  test.each(TARGETS)('$name', async ({ answer, options = {} }) => {
    const { served: _served, ...result } = await checkTarget(serve(answer()), options);
    const report = JSON.parse(JSON.stringify(result)) as TestResult;
    expect(await judgeReport(report)).toEqual(report);
  });
});
