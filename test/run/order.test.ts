import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { createReference } from '../../src/reference/contract.ts';
import { REFERENCE_SAMPLES } from '../../src/reference/functions.ts';
import { selectSteps } from '../../src/run/steps/selection.ts';
import { isProvoking } from '../../src/run/steps/step-kinds.ts';
import { checkHere } from '../check/check-here.ts';
import { serve } from '../conforming/serve.ts';
import { PATIENT } from '../patience.ts';
import { loadText, product, suiteOf } from '../suite/loading.ts';

/** The log of a server: `+` a request, `-` its answer, each with the path. */
interface Recorder {
  readonly url: string;
  readonly log: readonly string[];
  readonly close: () => Promise<void>;
}

/** Long enough for concurrent requests to overlap. */
const ANSWER_AFTER_MS = 30;

type Answer = 'ok' | 'fail' | 'hang-up' | 'stop' | 'never';

/** Answers every path with its name after a moment, and logs requests and answers. */
async function record(answerTo: (path: string) => Answer = () => 'ok'): Promise<Recorder> {
  const log: string[] = [];
  const server = createServer(async (incoming, response) => {
    const path = incoming.url ?? '';
    log.push(`+${path}`);
    await delay(ANSWER_AFTER_MS);
    const answer = answerTo(path);
    if (answer === 'never') return;
    log.push(`-${path}`);
    if (answer === 'hang-up' || answer === 'stop') incoming.socket.destroy();
    else response.writeHead(answer === 'ok' ? 200 : 500, { 'content-type': 'application/json' }).end('{}');
    if (answer === 'stop') server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function runSteps(steps: string, answerTo?: (path: string) => Answer, options: CheckOptions = {}) {
  const recorder = await record(answerTo);
  try {
    const suites = [loadText(suiteOf(steps))];
    const result = await check(recorder.url, { suites, ...options });
    return { result, log: recorder.log };
  } finally {
    await recorder.close();
  }
}

function check(url: string, options: CheckOptions): Promise<TestResult> {
  return checkHere(
    url,
    { seed: 1, samples: REFERENCE_SAMPLES, latency: { off: true }, ...PATIENT, ...options },
    { signal: new AbortController().signal },
  );
}

const arrivals = (log: readonly string[]): readonly string[] =>
  log.filter((line) => line.startsWith('+')).map((line) => line.slice(1));

/** Paths that arrived while other requests were unanswered. */
function overlapping(log: readonly string[]): readonly string[] {
  const open = new Set<string>();
  return log.flatMap((line) => {
    const path = line.slice(1);
    if (line.startsWith('-')) open.delete(path);
    else if (open.add(path).size > 1) return [path];
    return [];
  });
}

/** In the worst order: the last step comes first. */
const STEPS = `- { id: judge, use: "*", expect: { checks: [{ check: answered, id: judged }] } }
- { id: end, phase: finally, request: { get: /end }, repeat: { times: 2 }, expect: { status: { is: 200, id: end } } }
- id: negative
  phase: negative
  cases: [{ id: one }, { id: two }, { id: three }]
  request: { get: "/negative/\${case.id}" }
  expect: { status: { is: 200, id: negative } }
- { id: other-negative, phase: negative, request: { get: /other-negative }, expect: { status: { is: 200, id: other-negative } } }
- id: read
  cases: [{ id: one }, { id: two }, { id: three }]
  request: { get: "/read/\${case.id}" }
  expect: { status: { is: 200, id: read } }
- { id: tidy, phase: finally, request: { get: /tidy }, expect: { status: { is: 200, id: tidy } } }
- { id: again, request: { get: /again }, expect: { status: { is: 200, id: again } } }
`;

const ORDINARY = ['/again', '/read/one', '/read/three', '/read/two'];
const NEGATIVE = ['/negative/one', '/negative/two', '/negative/three', '/other-negative'];
const LAST = ['/end', '/end', '/tidy'];

const outcomesOf = ({ results }: TestResult): Readonly<Record<string, string>> =>
  Object.fromEntries(results.map(({ id, outcome }) => [id.replace('mine/', ''), outcome]));

describe('steps come in this order', () => {
  test('ordinary requests, negative steps, and the steps at the end', async () => {
    const { result, log } = await runSteps(STEPS);
    const paths = arrivals(log);
    expect(paths.slice(0, 4).toSorted()).toEqual(ORDINARY);
    expect(paths.slice(4)).toEqual([...NEGATIVE, ...LAST]);
    expect(result.findings).toEqual([]);
    expect(result.verdict).toBe('pass');
  });

  test('negative steps wait for all other answers and are sent one at a time', async () => {
    const { log } = await runSteps(STEPS);
    const late = overlapping(log);
    // Ordinary requests do overlap, which shows that the log detects it.
    expect(late.length).toBeGreaterThan(0);
    expect(late.filter((path) => !ORDINARY.includes(path))).toEqual([]);
    expect(log.slice(8)).toEqual([...NEGATIVE, ...LAST].flatMap((path) => [`+${path}`, `-${path}`]));
  });

  test('even if a step sends several copies', async () => {
    const { log } = await runSteps(`
- { id: crowd, phase: negative, repeat: { times: 3, atOnce: true }, cases: [{ id: one }, { id: two }], request: { get: "/crowd/\${case.id}" }, expect: { status: { is: 200, id: crowd } } }
- { id: next, phase: negative, request: { get: /next }, expect: { status: { is: 200, id: next } } }
`);
    const [one, two] = ['/crowd/one', '/crowd/two'].map((path) => log.lastIndexOf(`-${path}`));
    expect(log.indexOf('+/crowd/two')).toBeGreaterThan(one ?? Number.NaN);
    expect(log.indexOf('+/next')).toBeGreaterThan(two ?? Number.NaN);
    expect(arrivals(log)).toHaveLength(7);
  });

  test('repetitions of a negative step come before its next case', async () => {
    const { log } = await runSteps(`
- { id: negative, phase: negative, cases: [{ id: one }, { id: two }], repeat: { times: 2, apartMs: 40 }, request: { get: "/negative/\${case.id}" }, expect: { status: { is: 200, id: negative } } }
`);
    expect(arrivals(log)).toEqual(['/negative/one', '/negative/one', '/negative/two', '/negative/two']);
  });

  test.each(['fail', 'hang-up'] as const)('whatever happened before: %s', async (answer) => {
    const { result, log } = await runSteps(STEPS, (path) => (LAST.includes(path) ? 'ok' : answer));
    expect(arrivals(log).slice(4)).toEqual([...NEGATIVE, ...LAST]);
    expect(outcomesOf(result)).toEqual({
      judged: answer === 'fail' ? 'passed' : 'failed',
      end: 'passed',
      negative: 'failed',
      'other-negative': 'failed',
      read: 'failed',
      tidy: 'passed',
      again: 'failed',
    });
  });

  test('time is left for the last steps, however long negative steps take', async () => {
    const answer = (path: string): Answer => (NEGATIVE.includes(path) ? 'never' : 'ok');
    const options = { requestTimeoutMs: 4000, deadlineMs: 16_000 };
    const { result, log } = await runSteps(STEPS, answer, options);
    expect(arrivals(log).slice(-LAST.length)).toEqual(LAST);
    expect(outcomesOf(result)).toMatchObject({
      negative: 'failed',
      'other-negative': 'undecided',
      end: 'passed',
    });
    expect(result.findings.map(({ received }) => received)).toContain('none: deadline');
  });

  test('a step that judges everything receives the last answers too', async () => {
    const { result } = await runSteps(STEPS, (path) => (path === '/end' ? 'hang-up' : 'ok'));
    const found = result.findings.map(({ id, where }) => `${id}: ${where.exchange}`);
    expect(found).toContain('mine/judged: mine/end#0');
  });
});

describe('a server that is down', () => {
  const GONE = `
- { id: first, phase: negative, request: { get: /first }, expect: { status: { is: 200, requirement: robustness/empty-body } } }
- { id: second, phase: negative, request: { get: /second }, expect: { status: { is: 200, requirement: robustness/long-name } } }
- { id: second-too, phase: negative, request: { get: /second-too }, expect: { status: { is: 200, requirement: robustness/long-name } } }
- { id: third, phase: negative, request: { get: /third }, expect: { status: { is: 200, requirement: robustness/invalid-utf8 } } }
- id: end
  phase: finally
  request: { get: /end }
  repeat: { times: 3 }
  expect:
    status: { is: 200, requirement: robustness/survives }
    body: [{ at: $.a, is: {}, requirement: robustness/survives }]
`;

  test('gets one more request at the end, and unsent requests are undecided', async () => {
    const { result, log } = await runSteps(GONE, (path) => (path === '/first' ? 'stop' : 'ok'));
    expect(arrivals(log)).toEqual(['/first']);
    expect(outcomesOf(result)).toEqual({
      'robustness/empty-body': 'failed',
      'robustness/long-name': 'undecided',
      'robustness/invalid-utf8': 'undecided',
      'robustness/survives': 'failed',
    });
    const blocked = result.results.find(({ id }) => id === 'robustness/invalid-utf8');
    expect(blocked?.blockedBy).toBe('robustness/long-name');
    expect(result.exchanges.map(({ request }) => request.key)).toEqual([
      'mine/first#0',
      'mine/second#0',
      'mine/second-too#0',
      'mine/end#0',
    ]);
  });

  test('is reported once for each requirement and step', async () => {
    const { result } = await runSteps(GONE, (path) => (path === '/first' ? 'stop' : 'ok'));
    expect(result.findings.map(({ id, where, outcome }) => `${id} ${where.step}: ${outcome}`)).toEqual([
      'robustness/empty-body mine/first: failed',
      'robustness/long-name mine/second: undecided',
      'robustness/long-name mine/second-too: undecided',
      'robustness/survives mine/end: failed',
    ]);
    const [, second] = result.findings;
    expect(second?.fault).toBe('network');
    expect(second?.fix).toContain('check the request before it');
  });

  test('is blamed on the step before the last one', async () => {
    const { result } = await runSteps(
      `
- { id: first, phase: negative, request: { get: /first }, expect: { status: { is: 200, id: first } } }
- { id: after, phase: negative, use: { gone: first }, request: { get: /after }, expect: { status: { is: 200, id: after } } }
`,
      () => 'stop',
    );
    expect(outcomesOf(result)).toEqual({ first: 'failed', after: 'failed' });
  });

  test('before any negative step is judged as usual', async () => {
    const { result } = await runSteps(
      `
- { id: read, request: { get: /read }, expect: { status: { is: 200, id: read } } }
- { id: later, needs: [read], request: { get: /later }, expect: { status: { is: 200, id: later } } }
`,
      () => 'stop',
    );
    expect(outcomesOf(result)).toEqual({ read: 'failed', later: 'undecided' });
  });
});

describe('the product’s negative steps', () => {
  const FORMS: readonly Form[] = ['A', 'B'];
  const ABUSIVE = product.suites
    .flatMap(({ steps }) => steps)
    .filter(isProvoking)
    .map(({ id }) => id);

  /** Runs the product's suites, or the selected ones; `sent` has the step of each request, in order. */
  async function runProduct(form: Form, options: CheckOptions) {
    const heads: string[] = [];
    const target = await serve(createReference({ form }).answer, {
      beforeBody: ({ method, url }) => {
        heads.push(`${method} ${url}`);
        return false;
      },
    });
    try {
      const result = await check(target.url, options);
      const sent = result.exchanges.map(({ request }) => stepIn(request.key));
      return { result, heads, sent, steps: new Set(sent) };
    } finally {
      await target.close();
    }
  }

  function stepIn(key: string): string {
    return /^[a-z-]+\/[a-z0-9-]+/.exec(key)?.[0] ?? key;
  }

  const ofOtherForm: Readonly<Record<Form, readonly string[]>> = {
    A: ['robustness/parameters-not-object', 'robustness/deep-nesting-parameters'],
    B: ['robustness/input-not-object', 'robustness/deep-nesting'],
  };

  test('is known to this test', () => {
    expect(ABUSIVE).toContain('robustness/malformed-json');
    expect(ABUSIVE.at(-1)).toBe('robustness/survives');
    expect(ABUSIVE.every((id) => id.startsWith('robustness/'))).toBe(true);
  });

  test.concurrent.each(FORMS)(
    'comes after everything else, in the order of its suite, form %s',
    async (form) => {
      const { sent, heads } = await runProduct(form, { skip: ['inputs/*'] });
      const from = sent.findIndex((step) => ABUSIVE.includes(step));
      expect(sent.slice(0, from).filter((step) => ABUSIVE.includes(step))).toEqual([]);
      const expected = ABUSIVE.filter((id) => !ofOtherForm[form].includes(id));
      expect([...new Set(sent.slice(from))]).toEqual(expected);
      expect(heads).toHaveLength(sent.length);
      expect(heads.slice(-6)).toEqual(['POST /execute', ...Array.from({ length: 5 }, () => 'GET /health')]);
    },
  );

  test.concurrent('comes before the calls with generated inputs', async () => {
    const { sent } = await runProduct('B', {});
    const from = sent.indexOf('inputs/explore');
    expect(from).toBeGreaterThan(0);
    expect(new Set(sent.slice(from))).toEqual(new Set(['inputs/explore']));
  });

  test.concurrent('is left out of a run that only reads', async () => {
    const { heads, sent } = await runProduct('B', { readOnly: true });
    expect(sent.filter((step) => ABUSIVE.includes(step))).toEqual([]);
    expect(new Set(heads)).toEqual(new Set(['GET /health', 'GET /capabilities']));
  });

  test.concurrent('is left out where it is skipped', async () => {
    const { heads, sent, result } = await runProduct('B', { skip: ['robustness/*'] });
    expect(sent.filter((step) => ABUSIVE.includes(step))).toEqual([]);
    expect(heads.filter((head) => !/^(GET \/(health|capabilities)|POST \/execute)$/.test(head))).toEqual([]);
    expect(result.results.filter(({ id }) => id.startsWith('robustness/'))).toEqual([]);
  });

  test.concurrent('is sent completely if only the last step is selected', async () => {
    const [all, one] = await Promise.all([
      runProduct('B', {}),
      runProduct('B', { only: ['robustness/survives'] }),
    ]);
    expect(one.steps).toEqual(all.steps);
    expect(one.result.results.map(({ id, outcome }) => `${id}: ${outcome}`)).toEqual([
      'robustness/survives: passed',
    ]);
  });

  test.concurrent('except skipped steps', async () => {
    const [all, some] = await Promise.all([
      runProduct('B', { skip: ['inputs/*'] }),
      runProduct('B', {
        only: ['robustness/survives'],
        skip: [
          'robustness/large-body',
          'robustness/client-abort',
          'execute/concurrent-isolation',
          'transport/*',
          'inputs/*',
        ],
      }),
    ]);
    expect([...all.steps].filter((step) => !some.steps.has(step)).toSorted()).toEqual([
      'execute/again',
      'execute/alone',
      'execute/other',
      'execute/state-after',
      'execute/state-before',
      'execute/together',
      'robustness/after-going-away',
      'robustness/go-away',
      'robustness/large-body',
      'transport/keep-alive',
    ]);
    expect([...some.steps].filter((step) => !all.steps.has(step))).toEqual([]);
  });

  test('includes only its prerequisites', () => {
    const { steps } = selectSteps(product.suites, {
      only: ['robustness/client-abort'],
      skip: [],
      readOnly: false,
      latency: { off: false, budgets: [] },
    });
    expect(steps.map(({ id }) => id)).toEqual([
      'health/read',
      'capabilities/read',
      'robustness/go-away',
      'robustness/after-going-away',
    ]);
  });
});
