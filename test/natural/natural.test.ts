import { describe, expect, it } from 'vitest';
import type { Form } from '../../src/model/requirement.ts';
import { allServers } from './all-servers.ts';
import {
  flipsIn,
  maxChangingCalls,
  NO_PROBLEMS,
  problemsOf,
  SEED,
  startLongRunning,
  verdictOf,
} from './check-natural.ts';
import type { NaturalRecord } from './natural-server.ts';

/** `npm run natural:whole` checks every server ten times in a row, with timing; `npm run natural` checks it once. */
const isWhole = process.env.PROBITY_NATURAL === 'whole';
const RUNS = 10;
/** Ends only runs that hang. */
const TIMEOUT_MS = RUNS * 600_000;
/** One in this many servers with several functions is timed if each server is checked once. */
const TIMED_EVERY = 9;

const cases = allServers.flatMap((record, index) =>
  record.forms.map((form) => ({ record, form, name: record.name, isTimed: isWhole || isTimed(index, form) })),
);

/** Servers with one function are timed too, alternately in form A and form B. */
function isTimed(index: number, form: Form): boolean {
  const { functions } = allServers[index] as NaturalRecord;
  const isItsTurn = form === (index % 2 === 0 ? 'A' : 'B');
  return isItsTurn && (functions.length === 1 || index % TIMED_EVERY === 0);
}

describe('the servers', () => {
  it('have unique names, and their records name only listed functions', () => {
    const names = allServers.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(48);
    const unlisted = allServers.flatMap(({ name, functions, changes, undecided, once }) =>
      [...changes, ...undecided.A, ...undecided.B, ...once]
        .filter((fn) => !functions.includes(fn))
        .map((fn) => `${name}: ${fn}`),
    );
    expect(unlisted).toEqual([]);
  });
});

if (isWhole) {
  describe.concurrent('ten runs in a row against one process', () => {
    it.for(cases)('$name, form $form', { timeout: TIMEOUT_MS }, async ({ record, form }, { task }) => {
      const server = await startLongRunning(record, form);
      try {
        const runs = [];
        for (let run = 0; run < RUNS; run += 1)
          runs.push(await server.check({ seed: SEED + run, latency: { off: false } }));
        const problems = runs.map((checked) => problemsOf(checked, record, form));
        const { flips, usedUp } = flipsIn(
          runs.map(({ result }) => result),
          record,
        );
        const [first] = runs;
        task.meta.natural = {
          server: record.name,
          form,
          falseFailures: [...new Set(problems.flatMap(({ falseFailures }) => falseFailures))],
          runsWithFalseFailures: problems.filter(({ falseFailures }) => falseFailures.length > 0).length,
          flips,
          usedUp,
          maxChangingCalls: Math.max(...runs.map((checked) => maxChangingCalls(checked, record))),
          verdict: first === undefined ? '' : verdictOf(first.result),
        };
        expect(flips).toEqual([]);
        for (const [index, problem] of problems.entries())
          expect(problem, `run ${index + 1}`).toEqual(NO_PROBLEMS);
      } finally {
        await server.close();
      }
    });
  });
} else {
  describe.concurrent('servers as their authors write them', () => {
    it.for(cases)(
      '$name conforms in form $form',
      { timeout: TIMEOUT_MS },
      async ({ record, form, isTimed }) => {
        const server = await startLongRunning(record, form);
        try {
          const checked = await server.check({ latency: { off: !isTimed } });
          expect(checked.result.target.form).toEqual({ capabilities: form, execute: form });
          expect(problemsOf(checked, record, form)).toEqual(NO_PROBLEMS);
        } finally {
          await server.close();
        }
      },
    );
  });
}
