import type { JsonObject } from '../json/json.ts';
import type { Exchange } from './exchange.ts';
import type { Wire } from './wire.ts';

/**
 * The source of an input: the configuration; the configuration, marked as failing; an example in the descriptor; no
 * input needed; an input that succeeded before; generated from the descriptor; generated, with values of other calls;
 * generated to find faults, valid, invalid, or in a sequence of calls; the suite; intentionally invalid. With
 * `none-valid` no input that the declared schema accepts was found, with `withheld` one would remove what nobody chose, and
 * the call is not sent. With `awaits-own` it is sent only if the check creates nothing that the function could be tried on.
 */
export type InputSource =
  | 'configured'
  | 'failing'
  | 'example'
  | 'none-needed'
  | 'proven'
  | 'assembled'
  | 'learned'
  | 'none-valid'
  | 'withheld'
  | 'awaits-own'
  | 'explored'
  | 'explored-invalid'
  | 'in-sequence'
  | 'given'
  | 'made-wrong';

export interface PlannedCall {
  readonly form: Wire;
  readonly functionName: string;
  /** Null when the call carries no input at all. */
  readonly input: JsonObject | null;
  readonly inputSource: InputSource;
  /** Null in form A, or if the call omits it. */
  readonly requestId: string | null;
  /** The calls before it in its sequence; absent outside of one. */
  readonly after?: readonly EarlierCall[];
}

export interface EarlierCall {
  readonly functionName: string;
  readonly request: Exchange['request'];
}

/** Inputs whose refusal does not prove a failure of the server. */
export function isGuess(source: InputSource): boolean {
  return source === 'assembled' || source === 'learned';
}

/** Whether nobody wrote the input for the function: neither its author nor the user. */
export function isUnchosen(source: InputSource): boolean {
  return source === 'assembled' || source === 'none-needed';
}

/** Generated to find faults, and valid. */
export function isExplored(source: InputSource): boolean {
  return source === 'explored' || source === 'in-sequence';
}

const INVALID: ReadonlySet<InputSource> = new Set([
  'failing',
  'made-wrong',
  'explored-invalid',
  'none-valid',
  'withheld',
  'awaits-own',
]);

/** Inputs whose answer, or its absence, says nothing about calls that are meant to succeed. */
export function isInvalid(source: InputSource): boolean {
  return INVALID.has(source);
}

/**
 * The empty input is the only valid one, so a refusal is not about the input. The function may correctly refuse the
 * call in its current state, such as a checkout of an empty cart.
 */
export function needsNoInput({ input, inputSource }: PlannedCall): boolean {
  return inputSource === 'none-needed' && input !== null;
}

/** A parameter whose value comes from another call in the same run. */
export interface LearnedParameter {
  readonly parameter: string;
  /** The function that sent or returned the value. */
  readonly from: string;
  readonly place: 'input' | 'answer';
  /** RFC 6901 pointer in the input or the result. */
  readonly pointer: string;
}

/** A call of a sequence, with the values that it takes from calls before it. */
export interface SequenceCall {
  readonly functionName: string;
  readonly input: JsonObject;
  /** By parameter, what replaces its value in the input. */
  readonly from: Readonly<Record<string, ValueOfCall>>;
}

export interface ValueOfCall {
  /** Place of the call in its sequence, counted from 0. */
  readonly call: number;
  readonly place: LearnedParameter['place'];
  /** RFC 6901 pointer in the input or the result. */
  readonly pointer: string;
}

/** A call as it is kept to be repeated later. */
export interface CallToRepeat {
  readonly function: string;
  readonly input: JsonObject;
  /** By parameter, what replaces its value in the input. */
  readonly from: Readonly<Record<string, TakenValue>>;
}

export type TakenValue = {
  /** Place of the call in its sequence, counted from 1. */
  readonly call: number;
  /** RFC 6901 pointer in its result. */
  readonly at: string;
};

/** For parameters of a function, the function whose result has the value, and where. From the configuration. */
export type ProducersOfFunction = Readonly<Record<string, Producer>>;

export interface Producer {
  readonly from: string;
  /** RFC 6901 pointer in the result. */
  readonly at: string;
}

export interface ConfiguredSample {
  readonly input: JsonObject;
  /** The function is expected to fail on this input (specification, section 7). */
  readonly fails: boolean;
}

/** What a client answers when a server asks it; what is not given is declined, refused, or an empty list. */
export interface ClientAnswers {
  /** Values of the fields of forms, by name: a form is accepted if all that it requires is here. */
  readonly elicitation?: JsonObject | undefined;
  /** The text that every request for a model is answered with. */
  readonly sampling?: string | undefined;
  /** Addresses, such as `file:///srv/data`. */
  readonly roots?: readonly string[] | undefined;
}
