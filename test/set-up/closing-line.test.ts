import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const CONFIG = path.resolve(import.meta.dirname, 'fixture/vitest.config.ts');

/** Exit code, and the lines from the first that the reporter writes. */
function run(...parameters: readonly string[]): readonly [number | null, readonly string[]] {
  const { status, stdout } = spawnSync('npx', ['vitest', 'run', '--config', CONFIG, ...parameters], {
    encoding: 'utf8',
    env: { ...process.env, CI: 'true', NO_COLOR: '1' },
  });
  return [status, stdout.trim().split('\n')];
}

describe('the last lines of a run', () => {
  it('count what was skipped, with the reason, and let the run pass', () => {
    expect(run('sound')).toEqual([
      0,
      [
        'skipped: sound.fixture.ts > needs what is not there, 1 (1)',
        'skipped: sound.fixture.ts > needs what is not there, 2 (1)',
        '1 passed, 0 failed, 2 skipped (no unicorn: adopt one), 2 in quarantine',
      ],
    ]);
  });

  it('repeat what failed, and fail a run for a skip without a reason and for a quarantine that is over', () => {
    const [code, lines] = run('broken');
    expect(code).toBe(1);
    expect(lines).toEqual(
      expect.arrayContaining([
        'failed: broken.fixture.ts > a test > fails',
        "  AssertionError: expected 'this' to be 'that' // Object.is equality",
        'failed: broken.fixture.ts > a test > was held for long enough',
        'could not be run: broken.fixture.ts > a group',
        'skipped without a reason: broken.fixture.ts > a test > is skipped by nobody knows whom',
      ]),
    );
    expect(lines.at(-1)).toBe(
      '0 passed, 4 failed, 1 skipped (in quarantine until 2999-12-31: it fails at noon), 2 in quarantine',
    );
  });
});
