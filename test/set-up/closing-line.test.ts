import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const CONFIG = path.resolve(import.meta.dirname, 'fixture/vitest.config.ts');
// Not by npx, whose start takes longer than the run.
const RUNNER = path.resolve('node_modules/vitest/vitest.mjs');

/** The exit code, and the lines of the reporter. */
function run(
  filters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): readonly [number | null, readonly string[]] {
  const { status, stdout } = spawnSync(process.execPath, [RUNNER, 'run', '--config', CONFIG, ...filters], {
    encoding: 'utf8',
    env: { ...process.env, CI: 'true', NO_COLOR: '1', ...environment },
  });
  return [status, stdout.trim().split('\n')];
}

describe('the last lines of a run', () => {
  it('count skipped tests with the reason, and let the run pass', () => {
    expect(run(['sound'])).toEqual([
      0,
      [
        'skipped: sound.fixture.ts > needs what is not there, 1 (1)',
        'skipped: sound.fixture.ts > needs what is not there, 2 (1)',
        '1 passed, 0 failed, 2 skipped (no unicorn: adopt one), 1 in quarantine',
      ],
    ]);
  });

  it('repeat failures, and fail a run for a skip without a reason and for an expired quarantine', () => {
    const [code, lines] = run(['broken']);
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
    expect(lines.at(-1)).toMatch(
      /^0 passed, 4 failed, 1 skipped \(in quarantine until \d{4}-\d\d-\d\d: it fails at noon\), 1 in quarantine$/,
    );
  });

  it('fail a run for a test with retries, and for a blank reason', () => {
    const [code, lines] = run(['retried']);
    expect(code).toBe(1);
    expect(lines).toEqual(
      expect.arrayContaining([
        'may be tried again: retried.fixture.ts > passes in the end',
        '  remove `retry` and `repeats`, and fix the test',
        'may be tried again: retried.fixture.ts > might be tried again',
        'may be tried again: retried.fixture.ts > is run again and again',
        'skipped without a reason: retried.fixture.ts > is skipped for a blank',
        'skipped without a reason: retried.fixture.ts > is skipped for nothing',
      ]),
    );
    expect(lines.at(-1)).toMatch(/^3 passed, 5 failed,/);
  });

  it('fail a run for a quarantine entry that matches no test or two, or whose last day is missing or too late', () => {
    const [code, lines] = run([], { PROBITY_FIXTURE: 'held' });
    expect(code).toBe(1);
    const at = (name: string): string | undefined =>
      lines[lines.indexOf(`wrong in the quarantine: held.fixture.ts > ${name}`) + 1];
    expect(at('is not there')).toContain('no test of that name');
    expect(at('has a twin')).toContain('2 tests have that name');
    expect(at('is held for ever')).toContain("no date, but 'never'");
    expect(at('is held until no day')).toContain("no date, but '2026-02-30'");
    expect(at('is held for too long')).toContain('more than 60 days ahead');
    expect(lines.at(-1)).toMatch(/^3 passed, 5 failed, 2 skipped .*, 2 in quarantine$/);
  });
});

describe('a run', () => {
  it('fails for a test without expect, even beside concurrent tests with one', () => {
    const [code, lines] = run(['empty']);
    expect(code).toBe(1);
    expect(lines.filter((line) => line.startsWith('failed: '))).toEqual([
      'failed: empty.fixture.ts > a test of its own > says nothing',
    ]);
    expect(lines.join('\n')).toContain('This test calls no expect');
    expect(lines.at(-1)).toMatch(/^3 passed, 1 failed/);
  });

  it('fails for a table without rows, of tests and of groups, even beside another test', () => {
    const [code, lines] = run(['table-']);
    expect(code).toBe(1);
    expect(lines.filter((line) => line.startsWith('could not be run: ')).sort()).toEqual(
      ['concurrent', 'each', 'for', 'groups'].map((kind) => `could not be run: table-${kind}.fixture.ts`),
    );
    expect(lines.join('\n')).toContain('This table of tests has no row');
  });
});
