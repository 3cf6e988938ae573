import { describe, expect, it } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { FUZZ_TIMEOUT_MS, fuzzServer } from './fuzz-server.ts';
import { conformingStateful, plantedSequenceBugs } from './planted-sequences.ts';

/** Long chains, and values that nothing in the descriptors connects: `from` and `to` of a transfer. */
const NOT_FOUND: readonly string[] = [
  'the shares of a poll are null after the only vote was withdrawn',
  'the current track is null after it was removed',
  'a page with a link to a deleted page ends in 502',
  'a transfer from a closed account ends in 502',
  'swapping with a booking that was cancelled crashes',
];
const MIN_FOUND_SHARE = 0.85;

interface Shown {
  readonly functionName: string;
  readonly calls: number;
}

/** What is reported, with the number of calls in its command. */
function faultsIn({ findings }: TestResult): readonly Shown[] {
  return findings
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ where, curl }) => ({
      functionName: where.function ?? '',
      calls: curl?.split(' && ').length ?? 0,
    }));
}

describe.concurrent('a planted sequence', () => {
  const found = plantedSequenceBugs.filter(({ name }) => !NOT_FOUND.includes(name));

  it.for(found)('is found, and no other fault: $name', { timeout: FUZZ_TIMEOUT_MS }, async (bug) => {
    const shown = faultsIn(await fuzzServer(await bug.start()));
    expect(shown.map(({ functionName }) => functionName)).toEqual([bug.functionName]);
    // What an earlier call left behind can make the rest shorter.
    expect(shown[0]?.calls).toBeLessThanOrEqual(bug.smallest.length);
  });
});

describe('planted sequences', () => {
  it('are many, and nearly all are found', () => {
    const found = plantedSequenceBugs.filter(({ name }) => !NOT_FOUND.includes(name));
    expect(plantedSequenceBugs.length).toBeGreaterThanOrEqual(35);
    expect(found.length / plantedSequenceBugs.length).toBeGreaterThanOrEqual(MIN_FOUND_SHARE);
  });
});

describe.concurrent('a correct server with state', () => {
  it.for(conformingStateful)('is not accused: $name', { timeout: FUZZ_TIMEOUT_MS }, async ({ start }) => {
    expect(faultsIn(await fuzzServer(await start()))).toEqual([]);
  });
});
