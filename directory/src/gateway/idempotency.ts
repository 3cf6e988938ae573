import { createHash } from 'node:crypto';
import { Problem } from '../http/problem.ts';
import { type Claim, REMEMBERED_HOURS } from '../store/idempotent-calls.ts';

/** The header that names a call. */
export const idempotencyHeader = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Names a call that is meant to be made once: given again with the same server, function and input, the answer is the first one, and the function does not run again. Remembered for 24 hours.',
    },
  },
} as const;
export interface IdempotencyHeader {
  readonly 'idempotency-key'?: string;
}
export const IDEMPOTENCY_KEY_REMEDY =
  'The header Idempotency-Key must be given once, with 1 to 255 visible ASCII characters: a fresh UUID for each call that is meant to be made.';

/** What a call is about, apart from how it is named: the server, the function and its input. */
export function requestHashOf(serverId: string, callDigest: string): string {
  return createHash('sha256')
    .update(JSON.stringify([serverId, callDigest]))
    .digest('base64url');
}

const UNDER_WAY_RETRY_SECONDS = 2;

/** Why a call is neither made nor answered. */
export function claimProblem(kind: Exclude<Claim['kind'], 'claimed' | 'answered'>): Problem {
  switch (kind) {
    case 'other-request':
      return new Problem(
        'key-reused',
        'This Idempotency-Key was given with another server, function or input. Give each call a key of its own.',
      );
    case 'under-way':
      return new Problem(
        'call-under-way',
        'The call with this Idempotency-Key is not over yet; ask again for its answer.',
        {
          headers: { 'retry-after': String(UNDER_WAY_RETRY_SECONDS) },
          more: { retryAfterSeconds: UNDER_WAY_RETRY_SECONDS },
        },
      );
    case 'abandoned':
      return new Problem(
        'outcome-unknown',
        `The call with this Idempotency-Key was begun, and the directory was stopped before it knew what came of it. It may have run, and is not made again with this key for ${REMEMBERED_HOURS} hours: find out whether it did before you make it with another.`,
        { more: { mayHaveRun: true } },
      );
  }
}
