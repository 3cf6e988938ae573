import { type Arbitrary, array, constantFrom, nat, record, sample } from 'fast-check';
import { type JsonObject, jsonPointer } from '../../json/json.ts';
import type { ProducersOfFunction, SequenceCall, ValueOfCall } from '../../model/call.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { learnedInputs, producersOf } from '../learned-inputs.ts';
import type { ObservedCall } from '../observed-values.ts';
import { alternately } from './alternately.ts';

/** A function that may be part of a sequence, with what it returned when it was called alone. */
export interface SequenceFunction {
  readonly name: string;
  readonly descriptor: JsonObject;
  readonly proven: JsonObject;
  /** Null if it returned nothing. */
  readonly alone: ObservedCall | null;
  readonly mayChange: boolean;
}

/** One call of a sequence that is not made yet. */
export interface Intended {
  readonly name: string;
  /**
   * `fresh`: other texts and numbers each time; `same`: texts and numbers that earlier calls sent; `edge`: one of the
   * inputs with edges; `repeated`: that of an earlier call.
   */
  readonly input: 'fresh' | 'same' | 'edge' | 'repeated';
  /** Chooses among equal possibilities. */
  readonly choice: number;
}

const MAX_CALLS = 5;
/** Inputs that are sent alone, to see what they do to other functions. */
const EDGES = 12;
/** Of what may follow a creating function. */
const MAX_RELATED = 8;
/** Of all sequences, at most this share are of two and three calls; the others are random. */
const SHORT_SHARE = 0.5;

/**
 * Sequences of functions that have to do with each other, the shortest first: those that take values which the first one
 * returns, and those that need none. The same seed gives the same sequences. Pure.
 */
export function callSequences(
  functions: readonly SequenceFunction[],
  producers: Readonly<Record<string, ProducersOfFunction>>,
  schemas: SchemaEvaluator,
  { seed, perGroup }: { readonly seed: number; readonly perGroup: number },
): readonly (readonly Intended[])[] {
  const groups = functions
    .filter(({ mayChange, alone }) => mayChange && alone !== null)
    .map((first) => ({ first: first.name, related: relatedTo(first, functions, producers, schemas) }));
  const most = perGroup * groups.length;
  const pairs = groups.map(({ first, related }) => [
    [fresh(first), { ...fresh(first), input: 'repeated' as const }],
    ...related.flatMap((next) => [
      [fresh(first), fresh(next)],
      [fresh(first), same(next)],
    ]),
  ]);
  const triples = groups.map(({ first, related }) =>
    related.flatMap((second) =>
      related.flatMap((third) => [
        [fresh(first), fresh(second), fresh(third)],
        [fresh(first), same(second), same(third)],
      ]),
    ),
  );
  const edges = groups.map(({ first }) =>
    Array.from({ length: EDGES }, (_, choice) => [{ name: first, input: 'edge' as const, choice }]),
  );
  const short = [...alternately(pairs), ...alternately([...edges, ...triples])].slice(
    0,
    Math.ceil(most * SHORT_SHARE),
  );
  return [...short, ...randomSequences(groups, seed, most - short.length)];
}

interface Group {
  readonly first: string;
  readonly related: readonly string[];
}

function fresh(name: string): Intended {
  return { name, input: 'fresh', choice: 0 };
}

function same(name: string): Intended {
  return { ...fresh(name), input: 'same' };
}

/** What takes its values, what needs no input, itself, and what else changes something. */
function relatedTo(
  first: SequenceFunction,
  functions: readonly SequenceFunction[],
  producers: Readonly<Record<string, ProducersOfFunction>>,
  schemas: SchemaEvaluator,
): readonly string[] {
  const { alone } = first;
  const takes = ({ name, descriptor, proven }: SequenceFunction): boolean =>
    alone !== null &&
    learnedInputs(
      { descriptor, refused: proven, onlyOwn: false, producers: producersOf(name, producers) },
      [alone],
      schemas,
    ).length > 0;
  const others = functions.filter((other) => other !== first);
  const consumers = others.filter(takes);
  const needingNone = others.filter(({ proven }) => Object.keys(proven).length === 0);
  const changing = others.filter(({ mayChange }) => mayChange);
  // What takes its values is likelier to depend on it than what changes or shows everything.
  return [...new Set([...consumers, ...needingNone, first, ...changing].map(({ name }) => name))].slice(
    0,
    Math.max(MAX_RELATED, consumers.length),
  );
}

function randomSequences(groups: readonly Group[], seed: number, count: number): readonly Intended[][] {
  const link: Arbitrary<Omit<Intended, 'name'> & { at: number }> = record({
    at: nat(),
    input: constantFrom('fresh', 'fresh', 'same', 'edge', 'repeated'),
    choice: nat(),
  });
  const plans = sample(array(link, { minLength: 3, maxLength: MAX_CALLS, size: 'max' }), {
    numRuns: count,
    seed,
  });
  return plans.map((links, index) => {
    const { first, related } = groups[index % groups.length] ?? { first: '', related: [] };
    return links.map(({ at, ...rest }, place) => ({
      ...rest,
      name: place === 0 ? first : (related[at % related.length] ?? first),
    }));
  });
}

/** A call before the values that it takes are known. */
export interface Unmade extends SequenceCall {
  /** Texts and numbers of the input are others each time: a name may be taken after the first call. */
  readonly isFresh: boolean;
}

/**
 * A sequence without one of its calls. What took values from its answer gets unknown ones; what repeated a value of its
 * input still has the same value among themselves.
 */
export function withoutCall(calls: readonly Unmade[], left: number): readonly Unmade[] {
  /** For values of the input of the call that is left out: the parameter that now has the value first. */
  const heirs = new Map<string, ValueOfCall>();
  return calls
    .map((call, index) => {
      const lost = Object.entries(call.from).filter(([, value]) => value.call === left);
      const from: Record<string, ValueOfCall> = { ...call.from };
      for (const [parameter, { place, pointer }] of lost) {
        const heir = place === 'input' ? heirs.get(pointer) : undefined;
        if (heir === undefined) delete from[parameter];
        else from[parameter] = heir;
        if (heir === undefined && place === 'input')
          heirs.set(pointer, { call: index, place, pointer: jsonPointer([parameter]) });
      }
      return { ...call, from, isFresh: call.isFresh || lost.length > 0 };
    })
    .filter((_, index) => index !== left)
    .map((call) => {
      const moved = Object.entries(call.from).map(([parameter, value]) => [
        parameter,
        value.call > left ? { ...value, call: value.call - 1 } : value,
      ]);
      return { ...call, from: Object.fromEntries(moved) };
    });
}
