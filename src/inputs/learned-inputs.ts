import { declaredInputs } from '../checks/documentation/examples-given.ts';
import { targetOf } from '../checks/json/local-reference.ts';
import { type Json, type JsonObject, ownProperty, sameJson } from '../json/json.ts';
import { select } from '../json/selector.ts';
import type { LearnedParameter, Producer, ProducersOfFunction } from '../model/call.ts';
import { refuses, type SchemaEvaluator } from '../model/schema-evaluator.ts';
import { baseOf, creates, isIdentifying, wordsIn } from '../text/words.ts';
import { MIN_SCORE, nameScore, names, scoreOf, type Wanted } from './learned-scores.ts';
import type { ObservedCall, ObservedValue } from './observed-values.ts';
import { VERBS_OF_ENDING } from './words-of-change.ts';

export interface LearnedInput {
  readonly input: JsonObject;
  readonly learned: readonly LearnedParameter[];
}

export interface Consumer {
  readonly descriptor: JsonObject;
  /** The input that it refused; its other values stay. */
  readonly refused: JsonObject;
  /** Only values of what this check created itself may be used. */
  readonly onlyOwn: boolean;
  /** From the configuration. */
  readonly producers: ProducersOfFunction;
}

/** What the configuration sets for the parameters of a function. */
export function producersOf(
  name: string,
  producers: Readonly<Record<string, ProducersOfFunction>>,
): ProducersOfFunction {
  return Object.hasOwn(producers, name) ? (producers[name] ?? {}) : {};
}

interface Match {
  readonly parameter: string;
  readonly call: ObservedCall;
  readonly observed: Pick<ObservedValue, 'place' | 'pointer' | 'value'>;
  readonly score: number;
}

/**
 * Inputs in which values from other calls replace guesses, the most likely first. A value fits a parameter by its name
 * ("id" of createNote for "noteId"), by the names in the descriptions, or by its format. Pure.
 */
export function learnedInputs(
  consumer: Consumer,
  calls: readonly ObservedCall[],
  schemas: SchemaEvaluator,
): readonly LearnedInput[] {
  const { descriptor, refused } = consumer;
  const schema = schemas.foreign(ownProperty(descriptor, 'parameters') ?? {});
  const matches = parametersOf(consumer).flatMap((parameter) => {
    const wanted = wantedBy(descriptor, parameter);
    return calls.flatMap((call) => matchesIn(call, wanted, consumer));
  });
  const made: (LearnedInput & { readonly score: number })[] = [];
  for (const call of new Set(matches.map((match) => match.call))) {
    // Values of one call belong together; what it does not have comes from others.
    const chosen = bestOfEach(matches, (match) => match.score + (match.call === call ? SAME_CALL : 0));
    const values = chosen.map(({ parameter, observed }) => [
      parameter,
      asDeclared(observed.value, propertyOf(descriptor, parameter)),
    ]);
    const input: JsonObject = { ...refused, ...Object.fromEntries(values) };
    if (sameJson(input, refused) || refuses(schema, input)) continue;
    if (made.some((other) => sameJson(other.input, input))) continue;
    const learned = chosen.map(({ parameter, call: { functionName }, observed: { place, pointer } }) => ({
      parameter,
      from: functionName,
      place,
      pointer,
    }));
    const own = chosen.filter((match) => match.call === call);
    made.push({ input, learned, score: own.reduce((sum, match) => sum + match.score, 0) });
  }
  return made
    .toSorted((left, right) => right.score - left.score)
    .map(({ input, learned }) => ({ input, learned }));
}

const SAME_CALL = 100;

/** The best match of each parameter; of equal ones, the first. */
function bestOfEach(matches: readonly Match[], scoreOf: (match: Match) => number): readonly Match[] {
  const best = new Map<string, Match>();
  for (const match of matches) {
    const before = best.get(match.parameter);
    if (before === undefined || scoreOf(match) > scoreOf(before)) best.set(match.parameter, match);
  }
  return [...best.values()];
}

function parametersOf({ descriptor, refused, producers }: Consumer): readonly string[] {
  const declared = new Set(declaredInputs(descriptor));
  return [
    ...new Set([...Object.keys(refused).filter((name) => declared.has(name)), ...Object.keys(producers)]),
  ];
}

/** A parameter that needs a value, with the words that decide which values fit. */
function wantedBy(descriptor: JsonObject, parameter: string): Wanted {
  const schema = propertyOf(descriptor, parameter);
  return {
    parameter,
    schema,
    description: String(ownProperty(schema, 'description') ?? ''),
    name: wordsIn(parameter).map(baseOf),
    subject: subjectOf(descriptor),
  };
}

function propertyOf(descriptor: JsonObject, name: string): Json {
  const parameters = ownProperty(descriptor, 'parameters');
  const schema = ownProperty(ownProperty(parameters, 'properties'), name) ?? {};
  return targetOf(schema, parameters ?? {}) ?? schema;
}

function subjectOf(descriptor: JsonObject): readonly string[] {
  const words = wordsIn(String(ownProperty(descriptor, 'name'))).map(baseOf);
  // "userPurge" is about a user.
  const isVerbLast = !VERBS_OF_ENDING.has(words[0] ?? '') && VERBS_OF_ENDING.has(words.at(-1) ?? '');
  return isVerbLast ? words.slice(0, -1) : words.slice(1);
}

/** A parameter that is a list of ids takes a list of one. */
function asDeclared(value: Json, schema: Json): Json {
  return ownProperty(schema, 'type') === 'array' && !Array.isArray(value) ? [value] : value;
}

const CONFIGURED = 1000;

function matchesIn(
  call: ObservedCall,
  wanted: Wanted,
  { descriptor, onlyOwn, producers }: Consumer,
): readonly Match[] {
  const { parameter } = wanted;
  const configured = Object.hasOwn(producers, parameter) ? producers[parameter] : undefined;
  if (configured !== undefined) return selected(call, parameter, configured);
  if (call.functionName === ownProperty(descriptor, 'name')) return [];
  if (onlyOwn && !(call.isOwn && mayBelongTo(call, wanted))) return [];
  return call.values.flatMap((observed) => {
    if (onlyOwn && !isIdOfNew(observed, wanted, call.functionName)) return [];
    const score = scoreOf(observed, wanted, call.functionName);
    return score < MIN_SCORE ? [] : [{ parameter, call, observed, score }];
  });
}

function selected(call: ObservedCall, parameter: string, { from, at }: Producer): readonly Match[] {
  const selection = from === call.functionName ? select(at, call.result) : null;
  const [node] = selection?.kind === 'selected' ? selection.nodes : [];
  if (node === undefined) return [];
  return [{ parameter, call, observed: { place: 'answer', ...node }, score: CONFIGURED }];
}

/**
 * Whether a function that changes something may get values of the call. Both must name the same subject: what "login"
 * returns is not for "deleteUser". A parameter can name it too: "markPaid(invoiceId)" takes what "createInvoice" returned.
 */
function mayBelongTo({ functionName }: ObservedCall, { subject, description, name }: Wanted): boolean {
  const given = wordsIn(functionName).map(baseOf);
  const isNamedByParameter =
    creates(functionName) &&
    isIdentifying(name.at(-1) ?? '') &&
    name.length > 1 &&
    given.slice(1).join(' ') === name.slice(0, -1).join(' ');
  return (
    isNamedByParameter ||
    subject.length === 0 ||
    subject.some((word) => given.includes(word)) ||
    names(description, functionName)
  );
}

/** Not a count, one of a list, or the id of something else that the answer also names. */
function isIdOfNew(
  { place, name, around, pointer }: ObservedValue,
  wanted: Wanted,
  creator: string,
): boolean {
  const isOfList = /\/\d+(\/|$)/.test(pointer);
  if (nameScore(wanted.name, name, around, wanted.subject) > 0) return place === 'input' || !isOfList;
  const last = name.at(-1) ?? '';
  if (place === 'input' || !isIdentifying(last) || isOfList) return false;
  const isRole =
    last === wanted.name.at(-1) && name.slice(0, -1).every((word) => wanted.subject.includes(word));
  return isRole || names(wanted.description, creator);
}
