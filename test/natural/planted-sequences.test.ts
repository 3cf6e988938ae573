import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { hasResult } from './planted-inputs/judge-planted.ts';
import {
  descriptorsOf,
  play,
  showsFault,
  smallerFaults,
  withServer,
} from './planted-sequences/judge-sequences.ts';
import { playRandomCalls, randomInputs } from './planted-sequences/random-calls.ts';
import { type ConformingStateful, conformingStateful, plantedSequenceBugs } from './planted-sequences.ts';

const SEED = 20_260_131;
const CALLS = 200;
const SINGLE_INPUTS = 10;
const SHORTER_SEQUENCES = 60;

function namesOf(all: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(all.map(({ name }) => name));
}

/** The examples that a new server does not answer with a valid result. */
async function failedExamples(start: ConformingStateful['start']): Promise<readonly unknown[]> {
  const descriptors = await descriptorsOf(start);
  const steps = descriptors.flatMap(({ name, examples = [] }) =>
    examples.map(({ parameters }) => ({ function: name, input: parameters as JsonObject })),
  );
  const failed: unknown[] = [];
  for (const step of steps) {
    const { isFault, answer } = await withServer(start, (url) => showsFault(url, descriptors, step));
    if (isFault || !hasResult(answer)) failed.push(step);
  }
  return failed;
}

describe('bugs that only several calls show', () => {
  it('are enough, of all lengths', () => {
    expect(plantedSequenceBugs.length).toBeGreaterThanOrEqual(24);
    expect(namesOf(plantedSequenceBugs).size).toBe(plantedSequenceBugs.length);
    const lengths = plantedSequenceBugs.map(({ smallest }) => smallest.length);
    expect([...new Set(lengths)].sort()).toEqual([2, 3, 4, 5]);
  });

  describe.concurrent.each(plantedSequenceBugs)('$name', (bug) => {
    const { start, smallest, functionName } = bug;

    it('is shown by the last of the smallest calls only', async () => {
      expect(await play(bug)).toEqual(smallest.map((_, at) => at === smallest.length - 1));
    });

    it('is not shown without one of the calls', async () => {
      expect(await smallerFaults(bug)).toEqual([]);
    });

    it('is not shown by a single call', async () => {
      const descriptors = await descriptorsOf(start);
      const steps = descriptors.flatMap((descriptor) =>
        randomInputs(descriptor, SINGLE_INPUTS, SEED).map((input) => ({ function: descriptor.name, input })),
      );
      const shown: unknown[] = [];
      for (const step of steps) {
        const { isFault } = await withServer(start, (url) => showsFault(url, descriptors, step));
        if (isFault) shown.push(step);
      }
      expect(shown).toEqual([]);
    });

    it('is not shown by the examples', async () => {
      expect(await failedExamples(start)).toEqual([]);
    });

    it('is not shown by fewer random calls', async () => {
      const descriptors = await descriptorsOf(start);
      const shown: unknown[] = [];
      for (let run = 0; run < SHORTER_SEQUENCES; run++) {
        const count = smallest.length - 1;
        const calls = await withServer(start, (url) =>
          playRandomCalls(url, descriptors, count, SEED + run * count),
        );
        if (calls.some(({ isFault }) => isFault)) shown.push(calls);
      }
      expect(shown).toEqual([]);
    });

    it('is the only bug of the server', async () => {
      const descriptors = await descriptorsOf(start);
      const calls = await withServer(start, (url) => playRandomCalls(url, descriptors, CALLS, SEED));
      const other = calls.filter((call) => call.isFault && call.function !== functionName);
      expect(other).toEqual([]);
    });
  });
});

describe('correct servers whose answers depend on earlier calls', () => {
  it('are enough', () => {
    expect(conformingStateful.length).toBeGreaterThanOrEqual(12);
    expect(namesOf(conformingStateful).size).toBe(conformingStateful.length);
  });

  it.concurrent.each(conformingStateful)('$name: the examples succeed', async ({ start }) => {
    expect(await failedExamples(start)).toEqual([]);
  });

  it.concurrent.each(conformingStateful)('$name: random calls show no fault', async ({ start }) => {
    const descriptors = await descriptorsOf(start);
    const calls = await withServer(start, (url) => playRandomCalls(url, descriptors, CALLS, SEED));
    expect(calls.filter(({ isFault }) => isFault)).toEqual([]);
    const succeeded = calls.filter(({ answer }) => hasResult(answer)).map((call) => call.function);
    expect([...new Set(succeeded)].sort()).toEqual(descriptors.map(({ name }) => name).sort());
  });
});
