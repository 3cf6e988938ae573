import type { JsonObject } from '../../../src/json/json.ts';
import type { RunningServer } from '../natural-server.ts';
import {
  type Answer,
  type Descriptor,
  hasResult,
  isAnswered,
  isValid,
  resultOf,
  send,
} from '../planted-inputs/judge-planted.ts';
import type { PlantedSequenceBug, PlantedStep } from './plant-sequence.ts';

const REFERENCE = /^\$(\d)\/(\w+)$/;
/** Far from the numbers that a server has given to things. */
const UNKNOWN_NUMBER = 1000;

type Start = () => Promise<RunningServer>;

/** What happens to an id of a call that is not made, or that is refused. */
const MISSING = ['left out', 'unknown id'] as const;

export async function withServer<Outcome>(
  start: Start,
  use: (url: string) => Promise<Outcome>,
): Promise<Outcome> {
  const server = await start();
  try {
    return await use(server.url);
  } finally {
    await server.close();
  }
}

export async function descriptorsOf(start: Start): Promise<readonly Descriptor[]> {
  return withServer(start, async (url) => {
    const response = await fetch(`${url}/capabilities`);
    return ((await response.json()) as { functions: readonly Descriptor[] }).functions;
  });
}

export async function showsFault(
  url: string,
  descriptors: readonly Descriptor[],
  step: PlantedStep,
): Promise<{ readonly isFault: boolean; readonly answer: Answer }> {
  const answer = await send(url, step);
  const { returns } = descriptors.find(({ name }) => name === step.function) as Descriptor;
  return {
    answer,
    isFault: !isAnswered(answer) || (hasResult(answer) && !isValid(returns, resultOf(answer))),
  };
}

/** An id of the same form that the server has not given to anything. */
function unknownLike(id: unknown): unknown {
  if (typeof id === 'number') return id + UNKNOWN_NUMBER;
  const changed = String(id).replaceAll(/\d/g, '9');
  return changed === id ? `${changed}9` : changed;
}

interface Played {
  readonly results: readonly unknown[];
  readonly faults: readonly boolean[];
}

/** The member of a result that a value refers to, if it refers to one. */
type Resolve = (from: number, member: string, results: readonly unknown[]) => readonly unknown[];

async function playOn(
  url: string,
  descriptors: readonly Descriptor[],
  steps: readonly PlantedStep[],
  kept: readonly number[],
  resolve: Resolve,
): Promise<Played> {
  const results: unknown[] = [];
  const faults: boolean[] = [];
  for (const at of kept) {
    const step = steps[at] as PlantedStep;
    const members = Object.entries(step.input).flatMap(([key, value]) => {
      const [, call, member = ''] = REFERENCE.exec(String(value)) ?? [];
      const values = call === undefined ? [value] : resolve(Number(call) - 1, member, results);
      return values.map((one) => [key, one]);
    });
    const input = Object.fromEntries(members) as JsonObject;
    const { answer, isFault } = await showsFault(url, descriptors, { ...step, input });
    if (hasResult(answer)) results[at] = resultOf(answer);
    faults.push(isFault);
  }
  return { results, faults };
}

const fromResult: Resolve = (from, member, results) => [memberOf(results[from], member)];

function memberOf(result: unknown, member: string): unknown {
  return (result as JsonObject)[member];
}

/** Plays all calls on a new server. Returns for each call whether it shows a fault. */
export async function play({ start, smallest }: PlantedSequenceBug): Promise<readonly boolean[]> {
  const descriptors = await descriptorsOf(start);
  return withServer(start, async (url) => {
    const { faults } = await playOn(url, descriptors, smallest, [...smallest.keys()], fromResult);
    return faults;
  });
}

/** The calls without some of them, as places, each of which shows a fault on a new server. */
export async function smallerFaults({ start, smallest }: PlantedSequenceBug): Promise<readonly unknown[]> {
  const descriptors = await descriptorsOf(start);
  const all = [...smallest.keys()];
  const known = await withServer(start, async (url) => {
    const { results } = await playOn(url, descriptors, smallest, all, fromResult);
    return results;
  });
  const shown: unknown[] = [];
  for (const kept of properSubsets(all)) {
    for (const missing of MISSING) {
      const { faults } = await withServer(start, (url) =>
        playOn(url, descriptors, smallest, kept, (from, member, results) => {
          if (results[from] !== undefined) return fromResult(from, member, results);
          return missing === 'left out' ? [] : [unknownLike(memberOf(known[from], member))];
        }),
      );
      if (faults.includes(true)) shown.push({ kept, missing });
    }
  }
  return shown;
}

function properSubsets(all: readonly number[]): readonly (readonly number[])[] {
  const count = 2 ** all.length;
  return Array.from({ length: count }, (_, bits) => all.filter((at) => (bits >> at) & 1)).slice(1, -1);
}
