import { createHash } from 'node:crypto';
import { canonicalJson, type ExecuteRequest } from 'probity/model';
import { Problem } from '../http/problem.ts';
import { ANSWER_KEPT_HOURS, type Claim } from './idempotent-calls.ts';

/** The call that a caller requests, in form A (specification, section 2.6). */
export interface GivenCall {
  readonly functionName: string;
  /** The JSON object exactly as the caller wrote it. */
  readonly inputText: string;
  /** Identical for the same function and input, whatever the order of the keys. Calculated only for some calls. */
  digest(): string;
}

/** The call in a request body. The input is passed to the target exactly as it was written. Pure. */
export function givenCall(
  { function: functionName, input = {} }: ExecuteRequest,
  { bodyText, bodyIsExact }: { readonly bodyText: string; readonly bodyIsExact: boolean },
): GivenCall {
  const inputText = memberTexts(bodyText).get('input') ?? '{}';
  return {
    functionName,
    inputText,
    // Numbers that round to the same double are still different inputs.
    digest: () => hashOf(functionName, bodyIsExact ? canonicalJson(input) : inputText),
  };
}

export const idempotencyHeader = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Identifies a call that must run only once. A repeated request with the same key, server, function and input gets the first answer, and the function does not run again. Kept for 24 hours.',
    },
  },
} as const;
export interface IdempotencyHeader {
  readonly 'idempotency-key'?: string;
}
export const IDEMPOTENCY_KEY_REMEDY =
  'The header Idempotency-Key must be given once, with 1 to 255 visible ASCII characters. Use a fresh UUID for each call.';

/** Identifies the content of a call, without its Idempotency-Key: the server, the function and the input. */
export function requestHashOf(serverId: string, callDigest: string): string {
  return hashOf(serverId, callDigest);
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

const UNDER_WAY_RETRY_SECONDS = 2;

/** Why a call with an Idempotency-Key is refused. */
export function claimProblem(kind: Exclude<Claim['kind'], 'claimed' | 'answered'>): Problem {
  switch (kind) {
    case 'other-request':
      return new Problem(
        'key-reused',
        'This Idempotency-Key was used with another server, function or input. Use a separate key for each call.',
      );
    case 'under-way':
      return new Problem(
        'call-under-way',
        'The call with this Idempotency-Key is still running; retry to get its answer.',
        {
          headers: { 'retry-after': String(UNDER_WAY_RETRY_SECONDS) },
          more: { retryAfterSeconds: UNDER_WAY_RETRY_SECONDS, called: 'unknown' },
        },
      );
    case 'abandoned':
      return new Problem(
        'outcome-unknown',
        `The directory stopped during the call with this Idempotency-Key, so its outcome is unknown. It may have run, and is not repeated with this key for ${ANSWER_KEPT_HOURS} hours: check whether it ran before you use another key.`,
        { more: { called: 'unknown' } },
      );
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * The members of a JSON object as text; for a duplicate key, the last one. Text keeps the numbers that JSON.parse would
 * round. The argument must be the text of one valid JSON object. Pure.
 */
export function memberTexts(json: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let start = 0;
  let key: string | null = null;
  const endMember = (end: number): void => {
    if (key !== null) members.set(key, json.slice(start, end).trim());
    key = null;
    start = end + 1;
  };
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(json, at);
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (CLOSING.has(code)) {
      depth -= 1;
      if (depth === 0) endMember(at);
    } else if (depth === 1 && code === COLON) {
      key = JSON.parse(json.slice(start, at)) as string;
      start = at + 1;
    } else if (depth === 1 && code === COMMA) endMember(at);
  }
  return members;
}

function closingQuote(json: string, opening: number): number {
  let at = opening + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
