import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/model/measurement.ts';
import type { Form } from '../../src/model/requirement.ts';
import { renderMarkdown } from '../../src/report/formats/markdown.ts';
import { renderTerminal } from '../../src/report/terminal/terminal.ts';
import { measurement } from '../checks/example.ts';
import { checkTarget } from '../conforming/expect-clean.ts';
import { echoing, offering } from '../conforming/offering.ts';
import { serve } from '../conforming/serve.ts';
import { LIVE } from './live-text.ts';
import { finding, resultOf, row } from './results.ts';

const HOSTILE = '\u001B[2J\u001B]0;x\u0007\u202E\u200B\uD800\u2028\r\b';

const lines = (text: string): readonly string[] => text.trimEnd().split('\n');

test.each<[Form, string]>([
  ['A', 'Form A: list all result keys in `outputs`.'],
  ['B', 'Form B: list all result keys in `returns.properties`, each with its `type`.'],
])('the fix is that for form %s', async (form, fix) => {
  const { descriptor, ...echo } = echoing(form, 'echo');
  const undocumented = { ...descriptor, ...(form === 'A' ? { outputs: 'said' } : { returns: {} }) };
  const result = await checkTarget(serve(offering(form, [{ ...echo, descriptor: undocumented }])), {
    only: ['documentation/return-types'],
  });
  expect(renderTerminal(result, { columns: 200 })).toContain(`fix       ${fix}\n`);
});

describe('the brief report', () => {
  test('of a broken server', () => {
    const ids = ['health/status-200', 'errors/code', 'execute/result'];
    const result = resultOf(
      [
        ...ids.map((id) => row(id, 'failed')),
        row('health/body', 'blocked', { blockedBy: 'health/status-200' }),
      ],
      {
        findings: ids.map((id, index) =>
          finding(id, {
            message: `mistake ${'abc'[index]}`,
            why: 'The first sentence. The second one.',
            fix: 'Do this. Or that.',
          }),
        ),
      },
    );
    expect(renderTerminal(result, { reportFile: 'reports/1.json' })).toMatchInlineSnapshot(`
      "http://127.0.0.1:3000, calculator 1.2.3, form B

      ✗ health/status-200  mistake a, expected status 200  /health; also explains 1 requirement
      ✗ errors/code        mistake b, expected status 200  /health
      ✗ execute/result     mistake c, expected status 200  /health

      health/status-200  MUST, section 4.2
        expected  status 200
        received  status 503
        curl      curl -sS -i -H 'accept: application/json' http://127.0.0.1:3000/health
        why       The first sentence.
        fix       Do this.

      errors/code  MUST, section 4.2
        expected  status 200
        received  status 503
        curl      curl -sS -i -H 'accept: application/json' http://127.0.0.1:3000/health
        why       The first sentence.
        fix       Do this.

      execute/result  MUST, section 4.2
        expected  status 200
        received  status 503
        curl      curl -sS -i -H 'accept: application/json' http://127.0.0.1:3000/health
        why       The first sentence.
        fix       Do this.

      FAIL  The contract is broken in 3 places.
        0 passed, 3 failed, 0 warnings, 0 not applicable, 1 undecided
        report: reports/1.json
        all details: probity show REPORT --verbose
      "
    `);
  });

  test('has a line for each cause and at most 40 lines, however much is wrong', () => {
    const ids = Array.from({ length: 60 }, (_, index) => `area-${index}/rule`);
    const result = resultOf(
      ids.map((id) => row(id, 'failed')),
      { findings: ids.map((id, index) => finding(id, { message: `mistake ${'x'.repeat(index + 1)}` })) },
    );
    const text = renderTerminal(result);
    expect(lines(text).length).toBeLessThanOrEqual(40);
    expect(text).toContain('and 40 more causes');
    const full = renderTerminal(result, { detail: 'full' });
    for (const id of ids) expect(full).toContain(id);
  });

  test('of a target that cannot be reached has three lines', () => {
    const result = resultOf([row('health/reachable', 'failed')], {
      reachable: false,
      findings: [
        finding('health/reachable', { message: 'the connection was refused', fix: 'Start the server.' }),
      ],
    });
    expect(lines(renderTerminal(result, { reportFile: 'reports/1.json' }))).toEqual([
      'UNREACHABLE  http://127.0.0.1:3000: the connection was refused',
      expect.stringMatching(/^ {2}Start the server\. Check the address: .*\/health.*Model Context Protocol/),
      '  report: reports/1.json',
    ]);
  });

  test('says that a pass has warnings', () => {
    const result = resultOf([row('a/b', 'failed', { level: 'SHOULD' }), row('a/c', 'passed')], {
      findings: [finding('a/b', { level: 'SHOULD', severity: 'warning' })],
    });
    expect(renderTerminal(result)).toContain('PASS with 1 warning  ');
    expect(lines(renderTerminal(result, { detail: 'verdict' }))).toHaveLength(2);
  });

  test('has the slowest calls first, and never one percentile in the place of another', () => {
    const timed = (name: string, figures: Partial<Measurement>): Measurement => {
      const {
        minMs: _1,
        meanMs: _2,
        p50Ms: _3,
        p90Ms: _4,
        p95Ms: _5,
        maxMs: _6,
        ...rest
      } = measurement({ operation: 'execute', function: name });
      return { ...rest, intervals: {}, ...figures };
    };
    const quick = { p50Ms: 0.4, p95Ms: 0.6, maxMs: 0.9 };
    const responseTimes = [
      ...['a', 'b', 'c', 'd', 'e'].map((name) => timed(name, quick)),
      timed('steady', { p50Ms: 150, maxMs: 152 }),
      timed('uneven', { p50Ms: 11, p90Ms: 51, maxMs: 76 }),
      timed('few', { maxMs: 40 }),
      timed('silent', { count: 8, errors: 8 }),
    ];
    const result = resultOf([row('performance/execute-latency', 'passed')], { responseTimes });
    const words = (detail: 'brief' | 'full') =>
      renderTerminal(result, { detail, columns: 200 }).replaceAll(/\s+/g, ' ');
    expect(words('brief')).toContain(
      'p50 / p95: steady 150 / max 152, uneven 11 / max 76, few – / max 40, a 0.4 / 0.6, and 4 faster, 1 without figures',
    );
    expect(words('full')).toMatch(
      /execute:steady 75 calls p50 150 max 152 execute:uneven 75 calls p50 11 p90 51 max 76/,
    );
    expect(renderMarkdown(result)[0]?.text).toContain(
      [
        '| `execute:steady` | 75 | 0 | 150.0 ms | – | – | – | 152.0 ms |',
        '| `execute:uneven` | 75 | 0 | 11.00 ms | 51.00 ms | – | – | 76.00 ms |',
        '| `execute:few` | 75 | 0 | – | – | – | – | 40.00 ms |',
      ].join('\n'),
    );
  });

  test('shows no control character of the server', () => {
    const result = resultOf([row('a/b', 'failed')], {
      findings: [finding('a/b', { message: HOSTILE, expected: HOSTILE, received: HOSTILE, fix: HOSTILE })],
    });
    expect(renderTerminal(result).replaceAll('\n', '')).not.toMatch(LIVE);
    const unreachable = { ...result, reachable: false };
    expect(renderTerminal(unreachable).replaceAll('\n', '')).not.toMatch(LIVE);
  });
});
