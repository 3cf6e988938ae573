import * as fc from 'fast-check';
import type { JsonObject } from '../../../src/json/json.ts';
import type { Members } from '../natural-server.ts';
import {
  type Answer,
  type Descriptor,
  hasResult,
  isValid,
  resultOf,
} from '../planted-inputs/judge-planted.ts';
import { showsFault } from './judge-sequences.ts';
import type { PlantedStep } from './plant-sequence.ts';

/** A value of an earlier input or result, with its key. */
interface Known {
  readonly key: string;
  readonly value: unknown;
}

export interface RandomCall extends PlantedStep {
  readonly answer: Answer;
  readonly isFault: boolean;
}

const MAX_KNOWN = 60;
const MAX_TEXT = 12;
const MAX_SIZE = 1000;
const ID = /(^|_|[a-z])(id|Id|ID)$/;
const WORDS = ['', 'a', 'b', 'Milk'];
const ADDRESSES = ['https://example.com/a', 'a:'];

/** Plays random valid calls one after the other; many of their values come from earlier calls. */
export async function playRandomCalls(
  url: string,
  descriptors: readonly Descriptor[],
  count: number,
  seed: number,
): Promise<readonly RandomCall[]> {
  const calls: RandomCall[] = [];
  const known: Known[] = [];
  for (let at = 0; at < count; at++) {
    const step = randomCall(descriptors, known.slice(-MAX_KNOWN), seed + at);
    const { answer, isFault } = await showsFault(url, descriptors, step);
    calls.push({ ...step, answer, isFault });
    known.push(...leavesOf(step.input));
    if (hasResult(answer)) known.push(...leavesOf(resultOf(answer)));
  }
  return calls;
}

/** Inputs for a server that has had no calls. */
export function randomInputs({ parameters }: Descriptor, count: number, seed: number): readonly JsonObject[] {
  return fc.sample(inputFor(parameters, '', []), { numRuns: count, seed }) as readonly JsonObject[];
}

function randomCall(descriptors: readonly Descriptor[], known: readonly Known[], seed: number): PlantedStep {
  const steps = descriptors.map(({ name, parameters }) =>
    inputFor(parameters, '', known).map((input) => ({ function: name, input: input as JsonObject })),
  );
  const [step] = fc.sample(fc.oneof(...steps), { numRuns: 1, seed });
  return step as PlantedStep;
}

function leavesOf(value: unknown, key = ''): readonly Known[] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, key));
  if (typeof value !== 'object' || value === null) return [{ key, value }];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, name));
}

function inputFor(schema: Members, key: string, known: readonly Known[]): fc.Arbitrary<unknown> {
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties as Record<string, Members>);
    const members = properties.map(([name, member]) => [name, inputFor(member, name, known)] as const);
    return fc.record(Object.fromEntries(members), {
      requiredKeys: schema.required as string[],
      noNullPrototype: true,
    });
  }
  const fresh = freshValue(schema).filter((value) => isValid(schema, value));
  const usable = known.filter(({ value }) => isValid(schema, value));
  const fitting = usable.filter((one) => one.key === key || (ID.test(one.key) && ID.test(key)));
  return fc.oneof(
    { weight: 2, arbitrary: fresh },
    ...(usable.length === 0 ? [] : [{ weight: 1, arbitrary: oneOf(usable) }]),
    ...(fitting.length === 0 ? [] : [{ weight: 6, arbitrary: oneOf(fitting) }]),
  );
}

function oneOf(known: readonly Known[]): fc.Arbitrary<unknown> {
  return fc.constantFrom(...new Set(known.map(({ value }) => value)));
}

function freshValue(schema: Members): fc.Arbitrary<unknown> {
  const { minimum: min = 0, maximum: max = MAX_SIZE } = schema as { minimum?: number; maximum?: number };
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as readonly unknown[]));
  switch (schema.type) {
    case 'integer':
      return fc.oneof(fc.integer({ min, max }), fc.integer({ min, max: Math.min(max, min + 2) }));
    case 'number':
      return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constant(Math.max(min, 0)));
    case 'boolean':
      return fc.boolean();
    case 'string':
      return freshText(schema);
    default:
      throw new Error(`no values for ${JSON.stringify(schema)}`);
  }
}

function freshText(schema: Members): fc.Arbitrary<string> {
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern));
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'uri') return fc.constantFrom(...ADDRESSES);
  const { minLength = 0 } = schema as { minLength?: number };
  return fc.oneof(
    fc.constantFrom(...WORDS.map((word) => word.padEnd(minLength, 'x'))),
    fc.string({ minLength, maxLength: Math.max(minLength, MAX_TEXT) }),
  );
}
