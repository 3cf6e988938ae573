import { beforeAll, describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import { type FormatName, renderFormat } from '../../src/check/render/render-format.ts';
import { exitCodeFor } from '../../src/command-line/exit-codes.ts';
import type { TestResult } from '../../src/model/report.ts';
import { applyBaseline, baselineOf } from '../../src/report/baseline.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { renderTerminal } from '../../src/report/terminal/terminal.ts';
import { parseConfig } from '../../src/suite/config/parse-config.ts';
import { checkTarget, rowsWith } from '../conforming/expect-clean.ts';
import { described, echoing, type OfferedFunction, offering, Refusal } from '../conforming/offering.ts';
import { type Answering, type Members, serve } from '../conforming/serve.ts';

/** Refuses every input that the harness can make up. */
const LOOK_UP: OfferedFunction = {
  name: 'look_up_invoice',
  descriptor: described('B', ['invoice'], ['state']),
  run: ({ invoice }) => {
    if (invoice === 'i-17') return { state: 'open' };
    throw new Refusal(404, { error: { code: 'NOT_FOUND', message: 'There is no such invoice.' } });
  },
};

function waiting(examples?: readonly Members[]): OfferedFunction {
  return {
    name: 'wait_for_event',
    descriptor: described('B', ['topic'], ['said'], examples),
    run: () => ({ said: 'never sent' }),
  };
}

/** Later than every answer of the other functions, also on a busy machine. */
const TIMEOUT_MS = 4000;

/** Calls of these functions are never answered; invalid ones are refused at once, if they are. */
function silent(answer: Answering, isSilent: (name: string) => boolean, refusesInvalid: boolean): Answering {
  return async (request) => {
    const text = Buffer.from(request.body).toString();
    const name = /"function":"([^"]*)"/.exec(text)?.[1];
    const answered = await answer(request);
    if (request.path !== '/execute' || name === undefined || !isSilent(name)) return answered;
    return refusesInvalid && answered.status !== 200 ? answered : new Promise(() => {});
  };
}

const ONLY_CALLS: CheckOptions = { samples: {}, requestTimeoutMs: TIMEOUT_MS };

function withWaiting(examples?: readonly Members[], refusesInvalid = true): Answering {
  const functions = [echoing('B', 'echo'), echoing('B', 'repeat'), LOOK_UP, waiting(examples)];
  return silent(offering('B', functions), (name) => name === 'wait_for_event', refusesInvalid);
}

/** The same run with another setting, judged from its recorded exchanges. */
const judgedWith = (result: TestResult, settings: Partial<TestResult['settings']>): Promise<TestResult> =>
  judgeReport({ ...result, settings: { ...result.settings, ...settings } });

describe('two of four functions cannot be exercised', () => {
  let result: TestResult;
  beforeAll(async () => {
    const { served: _, ...checked } = await checkTarget(serve(withWaiting()), ONLY_CALLS);
    result = checked;
  });

  test('the run passes, and says how many were', () => {
    expect(rowsWith(result, 'failed')).toEqual(['documentation/examples']);
    expect(result.verdict).toBe('pass');
    expect(result.coverage).toMatchObject({ listed: 4, excluded: 0, exercised: 2, needed: 2 });
    const [row] = result.results.filter(({ id }) => id === 'execute/status-200');
    expect(row).toMatchObject({ outcome: 'passed', decidedOn: { functions: 2, of: 4 } });
  });

  test('each has its reason and its remedy', () => {
    const [refusing, slow] = result.coverage?.notExercised ?? [];
    expect(refusing?.function).toBe('look_up_invoice');
    expect(refusing?.why).toMatch(
      /^"look_up_invoice" refused an input that was generated from its descriptor: status 404.*There is no such invoice/,
    );
    expect(refusing?.remedy).toMatch(/in probity\.config\.yaml under samples\.$/);
    expect(refusing?.sample).toMatch(/^"look_up_invoice": \[\{ input: \{"invoice":"[^"]*"\} \}\]$/);
    expect(slow?.function).toBe('wait_for_event');
    expect(slow?.why).toContain('no answer within 4 s');
    expect(slow?.remedy).toMatch(/--timeout, or an input that is answered sooner /);
    expect(slow?.sample).toMatch(/^"wait_for_event": \[\{ input: \{"topic":"[^"]*"\} \}\]$/);
  });

  test('the terminal has a line for each', () => {
    const text = renderTerminal(result, {});
    expect(text).toContain('2 of 4 functions exercised, nothing is worse than a warning.');
    expect(text.match(/not exercised: \S+/g)).toEqual([
      'not exercised: look_up_invoice:',
      'not exercised: wait_for_event:',
    ]);
  });

  test('what the terminal prints for the configuration is one, as it is printed', () => {
    const text = renderTerminal(result, {});
    const printed = text.slice(text.indexOf('    config: v1'));
    const { samples } = parseConfig(printed, 'probity.config.yaml');
    expect(samples?.map(({ key }) => key)).toEqual(['look_up_invoice', 'wait_for_event']);
  });

  test('with a configuration, it prints only what to add to the samples', async () => {
    const text = renderTerminal(
      await judgedWith(result, { samples: { other: [{ input: {}, fails: false }] } }),
    );
    expect(text).toContain(
      'probity.config.yaml, below samples, with your inputs instead of these:\n      "look_up',
    );
    expect(text).not.toContain('config: v1');
  });

  test.each<[FormatName, RegExp]>([
    ['junit', /name="look_up_invoice">\s*<skipped message="not exercised: /],
    ['tap', /^ok \d+ - function look_up_invoice # SKIP not exercised: /m],
    ['ctrf', /look_up_invoice/],
    ['markdown', /Functions that were not exercised\s+- `look_up_invoice`: /],
    ['html', /2 functions not exercised/],
    ['badge', /· 2\/4 functions ·/],
    ['github', /2 of 4 functions exercised/],
  ])('the format %s says it', async (format, words) => {
    const files = await renderFormat(result, format);
    expect(files.map(({ text }) => text).join('\n')).toMatch(words);
  });

  test.each<['all' | number, number]>([
    ['all', 4],
    [3, 3],
  ])('with --min-coverage %s, the run is incomplete', async (minCoverage, needed) => {
    const judged = await judgedWith(result, { minCoverage });
    expect(judged.verdict).toBe('incomplete');
    expect(exitCodeFor(judged)).toBe(4);
    expect(renderTerminal(judged, {})).toContain(
      `2 of 4 functions exercised, ${needed} are needed, so this is not a pass.`,
    );
  });

  test('a baseline keeps the number: a run that exercises fewer is incomplete', () => {
    const kept = baselineOf(result, { reason: 'known', until: '9999-12-31', all: false });
    expect(kept.exercised).toBe(2);
    expect(applyBaseline(result, kept).verdict).toBe('pass');
    const fewer = applyBaseline(result, { ...kept, exercised: 3 });
    expect(fewer).toMatchObject({ verdict: 'incomplete', coverage: { exercised: 2, needed: 3 } });
    expect(applyBaseline(fewer, kept).verdict).toBe('pass');
  });

  test('a baseline keeps what the definitions cost: a run in which they cost noticeably more fails, and says so', () => {
    const view = result.clientView;
    if (view === undefined) throw new Error('the list of functions was not read');
    const costing = (total: number): TestResult => ({
      ...result,
      clientView: { ...view, tokens: { ...view.tokens, total } },
    });
    const kept = baselineOf(costing(2000), { reason: 'known', until: '9999-12-31', all: false });
    expect(kept.definitionTokens).toBe(2000);
    expect(applyBaseline(costing(2200), kept).verdict).toBe('pass');
    const grown = applyBaseline(costing(2201), kept);
    expect(grown.verdict).toBe('fail');
    expect(grown.baseline?.problems).toMatchObject([
      { kind: 'grown', requirement: 'documentation/definition-tokens' },
    ]);
    expect(renderTerminal(grown, {})).toContain('about 2201 tokens');
    // Of a small server, one more parameter is over ten percent.
    expect(applyBaseline(costing(190), { ...kept, definitionTokens: 100 }).verdict).toBe('pass');
  });

  test('judged again from its file, it is the same', async () => {
    const saved = JSON.parse(serialiseReport(result)) as TestResult;
    const { verdict, coverage, summary, results, findings } = await judgeReport(saved);
    expect({ verdict, coverage, summary, results, findings }).toEqual({
      verdict: saved.verdict,
      coverage: saved.coverage,
      summary: saved.summary,
      results: saved.results,
      findings: saved.findings,
    });
  });
});

describe.concurrent('an input that is meant to work', () => {
  test('and is refused as a configured sample is a failure', async () => {
    const result = await checkTarget(serve(offering('B', [echoing('B', 'echo'), LOOK_UP])), {
      samples: { look_up_invoice: [{ input: { invoice: 'i-1' } }] },
    });
    expect(rowsWith(result, 'failed')).toContain('execute/status-200');
    expect(result.verdict).toBe('fail');
  });

  test('and works exercises its function', async () => {
    const result = await checkTarget(serve(offering('B', [echoing('B', 'echo'), LOOK_UP])), {
      samples: { look_up_invoice: [{ input: { invoice: 'i-17' } }] },
    });
    expect(result).toMatchObject({ verdict: 'pass', coverage: { exercised: 2, notExercised: [] } });
  });

  test.each<[string, Answering, CheckOptions]>([
    ['a configured sample', withWaiting(), { samples: { wait_for_event: [{ input: { topic: 'a' } }] } }],
    ['an example', withWaiting([{ parameters: { topic: 'a' } }]), {}],
  ])('and is never answered is a failure: %s', async (_, answer, options) => {
    const result = await checkTarget(serve(answer), { ...ONLY_CALLS, ...options });
    expect(rowsWith(result, 'failed')).toContain('execute/reachable');
    expect(result.verdict).toBe('fail');
  });
});

test('a function whose only sample is one that fails needs one that works', async () => {
  const checkout: OfferedFunction = {
    name: 'checkout',
    descriptor: described('B', [], ['total']),
    run: () => {
      throw new Refusal(500, { error: { code: 'EXECUTION_ERROR', message: 'The cart is empty.' } });
    },
  };
  const result = await checkTarget(serve(offering('B', [echoing('B', 'echo'), checkout])), {
    samples: { checkout: [{ input: {}, fails: true }] },
  });
  expect(rowsWith(result, 'failed')).toEqual([]);
  expect(result.coverage?.notExercised).toEqual([
    {
      function: 'checkout',
      why: '"checkout" takes no input, and refused the call: status 500, EXECUTION_ERROR: The cart is empty; its only sample is one that fails',
      remedy:
        'Add a sample that works under samples: "checkout" in probity.config.yaml, or exclude the function under mutating: never.',
    },
  ]);
});

test('a deadline that is over is said beside the verdict, and a finding about /health names no function', async () => {
  const slow = silent(
    offering('B', [echoing('B', 'echo'), waiting()]),
    (name) => name === 'wait_for_event',
    false,
  );
  const result = await checkTarget(serve(slow), { samples: {}, deadlineMs: 3000 });
  expect(result.verdict).toBe('incomplete');
  const text = renderTerminal(result, { columns: 300 });
  expect(text).toMatch(
    /INCOMPLETE {2}The run’s deadline of 3 s was over: increase --deadline\.(?: \d of 2 functions exercised\.)?\n/,
  );
  expect(text).not.toMatch(/health\/\S+ .*function/);
});

describe.concurrent('which functions count', () => {
  const plain = (name: string): OfferedFunction => ({
    name,
    descriptor: described('B', ['text'], ['said']),
    run: ({ text }) => ({ said: String(text) }),
  });

  test('a generated input that succeeds exercises a function', async () => {
    const result = await checkTarget(serve(offering('B', [plain('copy'), plain('twice')])), { samples: {} });
    expect(result.coverage).toEqual({ listed: 2, excluded: 0, exercised: 2, needed: 1, notExercised: [] });
  });

  test('a function that the user excludes does not, in any minimum', async () => {
    const result = await checkTarget(serve(offering('B', [echoing('B', 'echo'), LOOK_UP])), {
      samples: {},
      minCoverage: 'all',
      mutating: { never: ['look_up_invoice'] },
    });
    expect(result).toMatchObject({
      verdict: 'pass',
      coverage: { listed: 2, excluded: 1, exercised: 1, needed: 1, notExercised: [] },
    });
    expect(renderTerminal(result, {})).toContain('1 of 1 function exercised, 1 excluded');
  });

  test('without any that may be called, the run is not a pass', async () => {
    const result = await checkTarget(serve(offering('B', [echoing('B', 'echo')])), {
      samples: {},
      mutating: { never: ['*'] },
    });
    expect(result).toMatchObject({
      verdict: 'incomplete',
      coverage: { excluded: 1, exercised: 0, needed: 1 },
    });
  });

  test('one that --max-functions leaves out counts, with that as its reason', async () => {
    const result = await checkTarget(
      serve(
        offering(
          'B',
          ['a', 'b', 'c'].map((name) => echoing('B', name)),
        ),
      ),
      {
        samples: {},
        maxFunctions: 1,
      },
    );
    expect(result).toMatchObject({ verdict: 'incomplete', coverage: { listed: 3, exercised: 1, needed: 2 } });
    const left = { why: 'only 1 of 3 functions are called', remedy: 'Call all with --max-functions 3.' };
    expect(result.coverage?.notExercised).toMatchObject([left, left]);
  });

  test('every step calls the same ones, whatever their parameters', async () => {
    const functions = ['a', 'b', 'c', 'd', 'e'].map((name, index) => ({
      ...plain(name),
      descriptor: described('B', index === 0 ? [] : ['text'], ['said']),
    }));
    const result = await checkTarget(serve(offering('B', functions)), { samples: {}, maxFunctions: 2 });
    const called = result.served.arrived.flatMap(
      ({ body }) => /"function":"([a-e])"/.exec(Buffer.from(body).toString())?.[1] ?? [],
    );
    expect(new Set(called)).toEqual(new Set(['a', 'c']));
    const left = { why: 'only 2 of 5 functions are called', remedy: 'Call all with --max-functions 5.' };
    expect(result.coverage?.notExercised).toMatchObject(
      ['b', 'd', 'e'].map((name) => ({ function: name, ...left })),
    );
  });

  test('a run that calls none has no coverage', async () => {
    const result = await checkTarget(serve(offering('B', [LOOK_UP])), { samples: {}, readOnly: true });
    expect(result.coverage).toBeUndefined();
    expect(result.verdict).toBe('pass');
  });
});

test('a function that does not answer invalid inputs either may only be slow', async () => {
  const result = await checkTarget(serve(withWaiting(undefined, false)), ONLY_CALLS);
  expect(rowsWith(result, 'failed')).toEqual(['documentation/examples']);
  expect(result).toMatchObject({ verdict: 'pass', coverage: { exercised: 2, needed: 2 } });
});

test('a server that answers no call fails', async () => {
  const answer = silent(offering('B', [LOOK_UP, waiting()]), () => true, false);
  const result = await checkTarget(serve(answer), ONLY_CALLS);
  expect(rowsWith(result, 'failed')).toContain('execute/reachable');
  expect(result).toMatchObject({ verdict: 'fail', coverage: { exercised: 0, needed: 1 } });
});

describe.concurrent('a failure beside functions that cannot be exercised', () => {
  const counting: OfferedFunction = {
    name: 'count-words',
    descriptor: {
      ...described('B', ['text'], [], [{ parameters: { text: 'a b' } }]),
      returns: { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] },
    },
    run: () => ({ count: null }),
  };

  test('a null for a declared number fails', async () => {
    const result = await checkTarget(serve(offering('B', [LOOK_UP, counting])), { samples: {} });
    expect(rowsWith(result, 'failed')).toContain('execute/result-matches-returns');
    expect(result.verdict).toBe('fail');
    expect(result.coverage).toMatchObject({ exercised: 1, needed: 1 });
  });

  test('it is reported also if too few functions were exercised', async () => {
    const refusing = [1, 2, 3].map((number) => ({ ...LOOK_UP, name: `look_up_${number}` }));
    const result = await checkTarget(serve(offering('B', [...refusing, counting])), { samples: {} });
    expect(rowsWith(result, 'failed')).toContain('execute/result-matches-returns');
    expect(result).toMatchObject({ verdict: 'fail', coverage: { exercised: 1, needed: 2 } });
  });

  test('without one, too few are incomplete', async () => {
    const refusing = [1, 2].map((number) => ({ ...LOOK_UP, name: `look_up_${number}` }));
    const result = await checkTarget(serve(offering('B', [...refusing, echoing('B', 'echo')])), {
      samples: {},
    });
    expect(result).toMatchObject({ verdict: 'incomplete', coverage: { exercised: 1, needed: 2 } });
  });
});
