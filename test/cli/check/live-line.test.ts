import { describe, expect, it } from 'vitest';
import { failureSoFar } from '../../../src/cli/terminal/live-line.ts';

describe('the line of the first failure', () => {
  it('is one short line, whatever the target says', () => {
    const hostile = `\u001B[31mred\n::error::x ${'x'.repeat(1_000_000)}`;
    const line = failureSoFar({
      requirement: 'execute/status-200',
      function: hostile,
      request: `POST ${hostile}`,
      message: hostile,
      expected: hostile,
    });
    expect(line.length).toBeLessThan(1500);
    expect(line).toMatch(/^fails: execute\/status-200: \\e\[31mred\\n:\\u\{3A\}error::x x[^\n\u001B]*$/);
  });

  it('says what was expected: the status 200 alone may look like a success', () => {
    const said = {
      requirement: 'mine/adds',
      function: 'add',
      request: 'POST /execute',
      message: 'the status is 200',
    };
    expect(failureSoFar({ ...said, expected: 'status 400' })).toBe(
      'fails: mine/adds: add: the status is 200, expected status 400 (POST /execute)',
    );
    expect(failureSoFar({ ...said, expected: '' })).toBe(
      'fails: mine/adds: add: the status is 200 (POST /execute)',
    );
  });
});
