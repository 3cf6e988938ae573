import type { Wire } from './wire.ts';

/*
 * The keys of exchanges, such as `execute/call[add]@B#0`. Saved reports are judged again by these keys, so no key may
 * change.
 */

/** A step, for one item of its loop and one of its cases. */
export function instanceKey(step: string, item: string | null, caseId: string | null): string {
  return step + (item === null ? '' : `[${item}]`) + (caseId === null ? '' : `(${caseId})`);
}

/** An instance for the second item of the same name, the third, and so on. */
export function namesakeKey(instance: string, number: number): string {
  return `${instance}|${number}`;
}

/** A call in a wire form; `copy` counts the calls that are sent at once, from 0. */
export function callKey(instance: string, form: Wire, copy = 0): string {
  return `${instance}@${form}${copy === 0 ? '' : `=${copy + 1}`}`;
}

/** A call with one of several inputs, counted from 0. */
export function inputKey(call: string, index: number): string {
  return index === 0 ? call : `${call}~${index + 1}`;
}

/** A follow-up of another call: with another input, as a plain call, or after timed calls. */
export function followUpKey(call: string, why: 'other' | 'plain' | 'after'): string {
  return `${call}%${why}`;
}

/** What was sent to open a conversation, besides the question that opened it; counted from 1. */
export function openingKey(opening: string, number: number): string {
  return `${opening.replace(/#\d+$/, '')}%opening${number}#0`;
}

/** A call after a refused one, with values from other calls; counted from 1. */
export function learnedKey(call: string, attempt: number): string {
  return `${call}%learned${attempt}`;
}

/** A call that shows whether a function only reads; counted from 1. */
export function watchedKey(call: string, number: number): string {
  return `${call}%watched${number}`;
}

/** A call of another step that an experiment repeats; counted from 1. */
export function repeatedKey(call: string, step: string, number: number): string {
  return `${call}%${step.split('/').at(-1)}-${number}`;
}

/** A call that deletes what the run created; counted from 1. */
export function removedKey(call: string, number: number): string {
  return `${call}%removed${number}`;
}

/** A call with an input that explores a function; `name` tells the inputs of the function apart. */
export function exploredKey(call: string, name: string): string {
  return `${call}%${name}`;
}

/** The call of a sequence; its place is counted from 1. */
export function sequenceName(sequence: string, place: number): string {
  return `${sequence}-${place}`;
}

const IN_SEQUENCE = /%(?<sequence>(?:known|alone|sequence)(?:-[a-z\d]+)*?)(?:-watched-\d+)?-(?<place>\d+)#0$/;

/** The keys of the calls of its sequence, in their order and itself the last; only itself if it is in none. */
export function sequenceOf(key: string, keys: readonly string[]): readonly string[] {
  const { sequence, place } = IN_SEQUENCE.exec(key)?.groups ?? {};
  if (sequence === undefined) return [key];
  const isWatched = key.includes('-watched-');
  const before: string[] = [];
  for (let earlier = 1; isWatched || earlier < Number(place); earlier += 1) {
    const found = keys.find((one) => one.endsWith(`%${sequenceName(sequence, earlier)}#0`));
    if (found === undefined) break;
    before.push(found);
  }
  return [...before, key];
}

/** One of the requests of an instance, counted from 0. */
export function exchangeKey(instance: string, copy: number): string {
  return `${instance}#${copy}`;
}

/** The request after a step that tests whether the target still answers. */
export function aliveKey(step: string): string {
  return `${step}#after`;
}

/** The same request after this many waits for a rate limiter. */
export function waitedKey(exchange: string, waits: number): string {
  return `${exchange}!${waits}`;
}

/** The same request at a later attempt; the first one is 1. */
export function retriedKey(exchange: string, attempt: number): string {
  return `${exchange}?${attempt}`;
}

/** The same request with answers to what its server asked; counted from 1. */
export function answeredKey(exchange: string, round: number): string {
  return `${exchange.replace(/&\d+$/, '')}&${round}`;
}

/** How often the request was sent again with answers to what its server asked. */
export function answeredRounds(exchange: string): number {
  return Number(/&(\d+)$/.exec(exchange)?.[1] ?? 0);
}

export function firstAttemptKey(exchange: string): string {
  return exchange.replace(/(?:[!?&]\d+)+$/, '');
}

/** Whether it repeats a request that the target refused or did not answer. */
export function isRetry(exchange: string): boolean {
  return /[!?]\d+$/.test(exchange);
}

/** The step that sent it. */
export function stepIn(exchange: string): string {
  return /^[^[(@%|#]*/.exec(exchange)?.[0] ?? '';
}

/** Whether it is the first attempt of the first request of its instance. */
export function isFirstAttempt(exchange: string): boolean {
  return exchange.endsWith(exchangeKey('', 0));
}

/** Whether it is the first request of that instance, such as the one before timed calls. */
export function isFirstAttemptOf(exchange: string, instance: string): boolean {
  return exchange === exchangeKey(instance, 0);
}

/** Whether it is for one of the items of that step. */
export function isForAnItemOf(exchange: string, step: string): boolean {
  return exchange.startsWith(`${step}[`);
}

/** Keys may shorten longer names, but never below this length. */
const MIN_SHOWN_CHARACTERS = 30;

/** Whether it is for the item with that name. */
export function isForItem(exchange: string, name: string): boolean {
  const shown = name.slice(0, MIN_SHOWN_CHARACTERS);
  return exchange.includes(name === shown ? `[${name}]` : `[${shown}`);
}
