import { describe, expect, test } from 'vitest';
import type { ReportedFinding } from '../../../src/model/judgement.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { reportView } from '../../../src/report/view/report-view.ts';
import { answer, noAnswer } from '../../checks/example.ts';
import { finding, resultOf, row } from '../results.ts';

const where = { suite: 'suites/server/x.suite.yaml', line: 1, column: 1, step: 'x/read' };

/** What each cause explains: the main requirement, then the others. */
function explained(result: TestResult): readonly (readonly string[])[] {
  return reportView(result).causes.map(({ main, also }) => [main.id, ...also.map(({ id }) => id)]);
}

function failing(findings: readonly ReportedFinding[], parts: Partial<TestResult> = {}): TestResult {
  const ids = [...new Set(findings.map(({ id }) => id))];
  return resultOf(
    ids.map((id) => row(id, 'failed')),
    { findings, ...parts },
  );
}

describe('the causes of a report', () => {
  test('a requirement explains those that it blocks, also through others', () => {
    const result = resultOf(
      [
        row('execute/status-200', 'blocked', { blockedBy: 'capabilities/json-object' }),
        row('capabilities/json-object', 'blocked', { blockedBy: 'capabilities/status-200' }),
        row('capabilities/status-200', 'failed'),
        row('health/status-200', 'failed'),
      ],
      {
        findings: [
          finding('capabilities/status-200', { message: 'the list is gone' }),
          finding('health/status-200', { message: 'the server is down' }),
        ],
      },
    );
    expect(explained(result)).toEqual([
      ['capabilities/status-200', 'execute/status-200', 'capabilities/json-object'],
      ['health/status-200'],
    ]);
  });

  test('requirements that block each other in an untrusted report are shown', () => {
    const result = resultOf([
      row('a/one', 'blocked', { blockedBy: 'a/two' }),
      row('a/two', 'blocked', { blockedBy: 'a/one' }),
      row('a/three', 'blocked', { blockedBy: 'a/unknown' }),
      row('a/four', 'failed'),
    ]);
    expect(explained(result).flat().toSorted()).toEqual(['a/four', 'a/one', 'a/three', 'a/two']);
  });

  test('the line of a cause does not repeat that something is missing', () => {
    const result = failing([
      finding('a/one', { message: 'status is missing', expected: 'a string', received: 'nothing' }),
      finding('a/two', { message: 'uptime is invalid', expected: 'a number', received: '"5" (string)' }),
    ]);
    expect(reportView(result).causes.map(({ sentence }) => sentence)).toEqual([
      'status is missing, expected a string',
      'uptime is invalid: "5" (string), expected a number',
    ]);
  });

  test('a missing content type explains the same finding at every operation', () => {
    const message = 'the Content-Type header is missing';
    const result = failing(
      ['health', 'capabilities', 'execute'].map((area) => finding(`${area}/content-type`, { message })),
    );
    expect(explained(result)).toEqual([
      ['health/content-type', 'capabilities/content-type', 'execute/content-type'],
    ]);
  });

  test('what is undecided for one function is no failure, although another one failed', () => {
    const calls = [
      finding('execute/status-200', { where: { ...where, function: 'add', exchange: 'a' } }),
      finding('execute/status-200', {
        outcome: 'undecided',
        message: '"checkout" takes no input, and refused the call',
        fault: 'harness',
        where: { ...where, function: 'checkout', exchange: 'b' },
      }),
    ];
    expect(reportView(failing(calls)).causes).toMatchObject([
      { main: { state: 'failed', word: 'failed' }, place: 'function "add"' },
      { main: { state: 'undecided', word: 'undecided' }, place: 'function "checkout"' },
    ]);
  });

  test('the place is that of the shown requirement, not of those that it also explains', () => {
    const late = { outcome: 'undecided', fault: 'harness', message: 'the deadline of 2 s was over' } as const;
    const [health, call] = [
      finding('health/reachable', late),
      finding('execute/reachable', { ...late, where: { ...where, function: 'add' } }),
    ];
    expect(reportView(failing([health, call])).causes).toMatchObject([{ place: '/health', also: [{}] }]);
  });

  test('the same finding of many functions is one cause with their number', () => {
    const result = failing(
      ['add', 'divide', 'greet'].map((name) =>
        finding('execute/result-object', {
          message: `function "${name}": result is invalid`,
          where: { ...where, function: name, pointer: '/result' },
        }),
      ),
    );
    expect(reportView(result).causes).toMatchObject([
      { place: '3 functions', main: { findings: [{}, {}, {}] }, also: [] },
    ]);
  });

  test('other findings of the same requirement, and of the same answer, are causes of their own', () => {
    const place = { ...where, exchange: 'health/read#0' };
    const result = failing(
      [
        finding('health/status-string', {
          message: 'status is invalid',
          where: { ...place, pointer: '/status' },
        }),
        finding('health/timestamp-zone', {
          message: 'no time zone',
          where: { ...place, pointer: '/timestamp' },
        }),
        finding('execute/result', {
          expected: 'a number',
          where: { ...where, function: 'add', pointer: '/a' },
        }),
        finding('execute/result', {
          expected: 'a text',
          where: { ...where, function: 'add', pointer: '/b' },
        }),
      ],
      { exchanges: [answer({ key: 'health/read#0' })] },
    );
    expect(explained(result)).toEqual([
      ['health/status-string'],
      ['health/timestamp-zone'],
      ['execute/result'],
      ['execute/result'],
    ]);
  });

  test('a missing error handler explains all findings about its answers', () => {
    const at = (step: string): { where: ReportedFinding['where'] } => ({
      where: { ...where, step, exchange: `${step}#0` },
    });
    const result = failing(
      [
        finding('robustness/malformed-json', {
          message: 'the status is 500',
          ...at('robustness/malformed-json'),
        }),
        finding('robustness/empty-body', { message: 'the status is 500', ...at('robustness/empty-body') }),
        finding('security/no-stack-trace', { message: 'a stack trace', ...at('robustness/empty-body') }),
        finding('execute/status-200', { message: 'the status is 500', ...at('execute/call') }),
      ],
      {
        exchanges: ['robustness/malformed-json', 'robustness/empty-body', 'execute/call'].map((step) =>
          answer({ key: `${step}#0`, status: 500 }),
        ),
      },
    );
    expect(explained(result)).toEqual([
      ['robustness/malformed-json', 'robustness/empty-body', 'security/no-stack-trace'],
      ['execute/status-200'],
    ]);
  });

  test('different requests that are accepted instead of refused are different mistakes', () => {
    const accepted = (id: string, step: string, expected: string): ReportedFinding =>
      finding(id, {
        message: 'the status is 200',
        expected,
        received: 'status 200',
        where: { ...where, step, exchange: `${step}#0` },
      });
    const findings = [
      accepted('errors/unknown-function-rejected', 'errors/unknown-function', 'a 4xx status'),
      accepted('robustness/malformed-json', 'robustness/malformed-json', 'a 4xx status'),
      accepted('robustness/empty-body', 'robustness/empty-body', 'a 4xx status'),
      accepted('robustness/long-name', 'robustness/long-name', 'a 4xx status'),
      accepted('robustness/unknown-path', 'robustness/unknown-path', 'status 404'),
      accepted('robustness/wrong-method', 'robustness/get-execute', 'status 404 or status 405'),
    ];
    const exchanges = findings.map((one) => answer({ key: `${one.where.step}#0` }));
    expect(explained(failing(findings, { exchanges }))).toEqual([
      ['errors/unknown-function-rejected', 'robustness/long-name'],
      ['robustness/malformed-json', 'robustness/empty-body'],
      ['robustness/unknown-path'],
      ['robustness/wrong-method'],
    ]);
  });

  test('what the check could not decide for one reason is one cause', () => {
    const doubt = {
      outcome: 'undecided',
      fault: 'harness',
      message: 'the deadline of 60 s was over',
    } as const;
    const result = resultOf([row('a/one', 'undecided'), row('b/two', 'undecided')], {
      findings: [finding('a/one', doubt), finding('b/two', doubt)],
    });
    expect(explained(result)).toEqual([['a/one', 'b/two']]);
  });

  test('a warning that leaves others undecided comes first, with its finding', () => {
    const result = resultOf(
      [
        row('capabilities/descriptor-form', 'blocked', { blockedBy: 'capabilities/functions-not-empty' }),
        row('capabilities/functions-not-empty', 'failed', { level: 'SHOULD' }),
        row('execute/status-200', 'blocked', { blockedBy: 'capabilities/descriptor-form' }),
        row('health/timestamp-zone', 'failed', { level: 'SHOULD' }),
      ],
      {
        findings: [
          finding('capabilities/functions-not-empty', { level: 'SHOULD', message: 'functions is empty' }),
          finding('health/timestamp-zone', { level: 'SHOULD', message: 'no time zone' }),
        ],
      },
    );
    const view = reportView(result);
    expect(view.word).toBe('INCOMPLETE');
    expect(explained(result)).toEqual([
      ['capabilities/functions-not-empty', 'capabilities/descriptor-form', 'execute/status-200'],
      ['health/timestamp-zone'],
    ]);
    expect(view.causes[0]?.sentence).toContain('functions is empty');
  });

  test('the same finding of many descriptors is one cause with their number, also of those that were left out', () => {
    const descriptors = [0, 1, 2].map((index) =>
      finding('capabilities/function-description', {
        message: `functions.${index} ("fn${index}") is invalid`,
        expected: 'an object with the property "description"',
        received: `an object without it: {"name":"fn${index}"} (object)`,
        where: { ...where, pointer: `/functions/${index}` },
      }),
    );
    expect(reportView(failing(descriptors)).causes).toMatchObject([{ place: '3 functions' }]);
    const cut = descriptors.map((one, index) =>
      index < 2 ? one : { ...one, message: `${one.message}; and 100 more findings like it` },
    );
    expect(reportView(failing(cut)).causes).toMatchObject([{ place: 'at least 3 functions' }]);
  });

  test('values of different types in different functions are different mistakes', () => {
    const result = failing(
      [
        ['forecast', '/result/celsius', '"12" (string)'],
        ['convert', '/result/fahrenheit', 'null'],
        ['round', '/result/whole', '"7" (string)'],
      ].map(([name = '', pointer = '', received = '']) =>
        finding('execute/result-matches-returns', {
          message: 'result is not what returns declares',
          expected: 'a number',
          received,
          where: { ...where, function: name, pointer },
        }),
      ),
    );
    expect(reportView(result).causes.map(({ place }) => place)).toEqual([
      '2 functions',
      'function "convert"',
    ]);
  });

  test('what a server that ended no longer answers is one cause, also where it is undecided', () => {
    const gone = { message: 'the connection was refused', fault: 'network' } as const;
    const at = (key: string): { where: ReportedFinding['where'] } => ({ where: { ...where, exchange: key } });
    const result = resultOf(
      [
        row('robustness/survives', 'failed'),
        row('robustness/long-name', 'undecided'),
        row('inputs/valid-answered', 'undecided'),
      ],
      {
        findings: [
          finding('robustness/survives', { ...gone, ...at('robustness/survives#0') }),
          finding('robustness/long-name', {
            ...gone,
            outcome: 'undecided',
            ...at('robustness/long-name#0'),
          }),
          finding('inputs/valid-answered', {
            message: 'the deadline was over',
            outcome: 'undecided',
            fault: 'harness',
          }),
        ],
        exchanges: ['robustness/survives#0', 'robustness/long-name#0'].map((key) => {
          const refused = noAnswer({ code: 'connection-refused', message: gone.message, fault: 'network' });
          return { ...refused, request: { ...refused.request, key } };
        }),
      },
    );
    expect(explained(result)).toEqual([
      ['robustness/survives', 'robustness/long-name'],
      ['inputs/valid-answered'],
    ]);
  });
});
