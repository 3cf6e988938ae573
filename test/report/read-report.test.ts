import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { readReport } from '../../src/report/read-report.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { fullResult, resultWithBaseline } from './full-result.ts';
import { resultWithListing } from './result-with-listing.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'probity-read-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function readBack(result: TestResult): Promise<TestResult> {
  const file = path.join(folder, 'result.json');
  await writeFile(file, serialiseReport(result));
  return readReport(file);
}

test.each([
  ['a result', fullResult()],
  ['one with a baseline', resultWithBaseline()],
  ['one with a listing', resultWithListing()],
])('%s is read back unchanged', async (_, result) => {
  expect(await readBack(result)).toEqual(result);
});

test.each<[string, Partial<TestResult>, RegExp]>([
  [
    'a verdict that contradicts its rows',
    { verdict: 'pass' },
    /\/verdict does not follow from its \/results/,
  ],
  [
    'a count that contradicts its rows',
    { summary: { ...fullResult().summary, failed: 0 } },
    /\/summary does not count its \/results/,
  ],
  [
    'a coverage that does not add up',
    { coverage: { listed: 3, excluded: 0, exercised: 2, needed: 2, notExercised: [] } },
    /\/coverage contradicts itself/,
  ],
  [
    'a coverage that needs fewer functions than the settings',
    { coverage: { listed: 4, excluded: 0, exercised: 4, needed: 1, notExercised: [] } },
    /\/coverage contradicts itself/,
  ],
  ['an invalid time', { startedAt: '2026-99-99T00:00:00.000Z' }, /\/startedAt is not a date and time/],
])('%s is refused', async (_, change, message) => {
  await expect(readBack({ ...fullResult(), ...change })).rejects.toThrow(message);
});

test.each<[string, Partial<TestResult>, RegExp]>([
  [
    'a decision that contradicts its rows',
    { listingDecision: 'reject' },
    /\/listingDecision does not follow/,
  ],
  ['a row of the listing that is not among the results', { listing: [] }, /\/listing does not agree/],
  [
    'a row of the listing with another outcome',
    {
      listing: (resultWithListing().listing ?? []).map((row) => ({ ...row, outcome: 'failed' })),
      listingDecision: 'reject',
    },
    /\/listing does not agree/,
  ],
])('%s is refused', async (_, change, message) => {
  await expect(readBack({ ...resultWithListing(), ...change })).rejects.toThrow(message);
});

test('rows of a listing without their basis are refused', async () => {
  const { listingBasis: _, ...rest } = resultWithListing();
  await expect(readBack(rest)).rejects.toThrow(/must all be present/);
});
