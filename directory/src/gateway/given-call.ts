import { createHash } from 'node:crypto';
import { canonicalJson, type ExecuteRequest } from 'probity/model';
import { Problem, retryProblem } from '../http/problem.ts';
import { ANSWER_KEPT_HOURS, type Claim } from './idempotent-calls.ts';
import { memberTexts } from './json-members.ts';

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
    digest: () => {
      // Numbers that round to the same double are still different inputs.
      const comparedInput = bodyIsExact ? canonicalJson(input) : inputText;
      return createHash('sha256')
        .update(JSON.stringify([functionName, comparedInput]))
        .digest('base64url');
    },
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
  return createHash('sha256')
    .update(JSON.stringify([serverId, callDigest]))
    .digest('base64url');
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
      return retryProblem(
        'call-under-way',
        'The call with this Idempotency-Key is still running; retry to get its answer.',
        UNDER_WAY_RETRY_SECONDS,
      );
    case 'abandoned':
      return new Problem(
        'outcome-unknown',
        `The directory stopped during the call with this Idempotency-Key, so its outcome is unknown. It may have run, and is not repeated with this key for ${ANSWER_KEPT_HOURS} hours: check whether it ran before you use another key.`,
        { more: { mayHaveRun: true } },
      );
  }
}
