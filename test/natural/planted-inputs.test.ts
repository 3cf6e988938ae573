import { describe, expect, it } from 'vitest';
import {
  answersOf,
  callsOf,
  describePlanted,
  hasResult,
  isAnswered,
  isValid,
  resultOf,
  showsFailure,
} from './planted-inputs/judge-planted.ts';
import { smallerCalls } from './planted-inputs/smaller-inputs.ts';
import { type PlantedInputBug, plantedInputBugs } from './planted-inputs.ts';

const MIN_BUGS_PER_ROW: Readonly<Record<PlantedInputBug['row'], number>> = {
  'inputs/valid-answered': 16,
  'inputs/result-matches-returns': 10,
  'inputs/invalid-refused': 8,
  'inputs/same-kind': 4,
  'inputs/callers-apart': 6,
};

describe('bugs that only some inputs show', () => {
  it('have enough bugs for each row', () => {
    for (const [row, minBugs] of Object.entries(MIN_BUGS_PER_ROW)) {
      const count = plantedInputBugs.filter((bug) => bug.row === row).length;
      expect(count, row).toBeGreaterThanOrEqual(minBugs);
    }
    expect(new Set(plantedInputBugs.map(({ name }) => name)).size).toBe(plantedInputBugs.length);
  });

  describe.concurrent.each(plantedInputBugs)('$row: $name', (bug) => {
    const isAccepted = bug.row !== 'inputs/invalid-refused';

    it('is shown by the smallest input', async () => {
      const descriptor = await describePlanted(bug);
      const calls = callsOf(bug);
      for (const call of calls) {
        expect(call.function).toBe(bug.functionName);
        expect(isValid(descriptor.parameters, call.input)).toBe(isAccepted);
      }
      expect(await showsFailure(bug, descriptor, calls)).toBe(true);
    });

    it('is not shown by an input one step smaller', async () => {
      const descriptor = await describePlanted(bug);
      const candidates = smallerCalls(callsOf(bug)).filter((calls) =>
        calls.every(({ input }) => isValid(descriptor.parameters, input) === isAccepted),
      );
      const shown: unknown[] = [];
      for (const calls of candidates) {
        if (await showsFailure(bug, descriptor, calls)) shown.push(calls);
      }
      expect(shown).toEqual([]);
    });

    it('is not shown by the example of the function', async () => {
      const { parameters, returns, examples } = await describePlanted(bug);
      const input = examples[0]?.parameters ?? {};
      expect(isValid(parameters, input)).toBe(true);
      const call = { function: bug.functionName, input };
      const answers = await answersOf(bug, [call, call]);
      for (const answer of answers) {
        expect(hasResult(answer)).toBe(true);
        expect(isValid(returns, resultOf(answer))).toBe(true);
      }
      expect(answers[1]?.body).toMatchObject({ result: resultOf(answers[0] ?? {}) });
    });
  });

  const sequences = plantedInputBugs.filter(
    ({ row }) => row === 'inputs/same-kind' || row === 'inputs/callers-apart',
  );

  it.concurrent.each(sequences)('$row: $name: breaks no rule for single answers', async (bug) => {
    const { returns } = await describePlanted(bug);
    for (const answer of await answersOf(bug, callsOf(bug))) {
      expect(isAnswered(answer)).toBe(true);
      expect(!hasResult(answer) || isValid(returns, resultOf(answer))).toBe(true);
    }
  });
});
