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
    });
    expect(line.length).toBeLessThan(1000);
    expect(line).toMatch(/^fails: execute\/status-200: \\e\[31mred\\n:\\u\{3A\}error::x x[^\n\u001B]*$/);
  });
});
