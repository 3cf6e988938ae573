import { describe, expect, test } from 'vitest';
import { retryAfterMs } from '../../src/model/rate-limit.ts';

const NOW_MS = Date.parse('2026-01-31T12:00:00Z');

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['7', 7000],
    ['0.5', 500],
    [' 3 ', 3000],
    ['Sat, 31 Jan 2026 12:01:00 GMT', 60_000],
    ['Sat, 31 Jan 2026 11:59:00 GMT', 0],
    ['soon', null],
    ['', null],
    ['-3', null],
    ['2026', 2_026_000],
    ['99999999999', null],
    [undefined, null],
  ])('%j', (field, ms) => {
    expect(retryAfterMs(field, NOW_MS)).toBe(ms);
  });
});
