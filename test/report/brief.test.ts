import { describe, expect, test } from 'vitest';
import { renderTerminal } from '../../src/report/terminal/terminal.ts';
import { LIVE } from './live-text.ts';
import { finding, resultOf, row } from './results.ts';

const HOSTILE = '\u001B[2J\u001B]0;x\u0007\u202E\u200B\uD800\u2028\r\b';

const lines = (text: string): readonly string[] => text.trimEnd().split('\n');

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
        0 passed, 3 failed, 0 warnings, 0 not applicable, 1 blocked, 0 undecided
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
      expect.stringMatching(/^ {2}Start the server\. Check the base address: /),
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

  test('shows no control character of the server', () => {
    const result = resultOf([row('a/b', 'failed')], {
      findings: [finding('a/b', { message: HOSTILE, expected: HOSTILE, received: HOSTILE, fix: HOSTILE })],
    });
    expect(renderTerminal(result).replaceAll('\n', '')).not.toMatch(LIVE);
    const unreachable = { ...result, reachable: false };
    expect(renderTerminal(unreachable).replaceAll('\n', '')).not.toMatch(LIVE);
  });
});
