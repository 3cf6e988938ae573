import type { Behaviour, Find } from './behaviour.ts';
import { otherStatus, undecided } from './finds.ts';
import { bytesOf } from './wire.ts';

const LIMITED = 'rate limiter refused';

function refusing(
  id: string,
  words: string,
  status: 429 | 503,
  retryAfter: string | null,
  more: Partial<Behaviour> = {},
): Behaviour {
  return {
    id: `rate-limits/${id}`,
    words,
    legal: true,
    play: ({ socket }) => {
      const body = Buffer.from('{"error":{"code":"TOO_MANY_REQUESTS","message":"Later."}}');
      const headers = [['content-type', 'application/json']] as const;
      socket.end(
        bytesOf(
          { status, headers, body },
          { add: retryAfter === null ? [] : [`retry-after: ${retryAfter}`] },
        ),
      );
    },
    finds: status === 429 ? limited() : otherStatus(status),
    ...more,
  };
}

/** Undecided after waiting: the target says that later requests may succeed. */
function limited(): Behaviour['finds'] {
  return {
    health: [limitedRow('health/status-200')],
    capabilities: [limitedRow('capabilities/status-200')],
    execute: [
      limitedRow('execute/status-200'),
      limitedRow('errors/unknown-function-rejected'),
      limitedRow('errors/missing-required'),
      limitedRow('errors/wrong-type'),
    ],
  };
}

function limitedRow(row: string): Find {
  return { row, outcome: 'undecided', fault: 'server', says: LIMITED };
}

/** Waiting a second before each of many calls exceeds the deadline. */
function limitedForLong(): Behaviour['finds'] {
  const execute = [
    limitedRow('execute/*'),
    limitedRow('errors/*'),
    ...undecided('deadline', 'execute/*', 'errors/*'),
  ];
  return { ...limited(), execute: execute.map((find) => ({ ...find, perhaps: true })) };
}

const LONG = { deadlineSeconds: 20, finds: limitedForLong() };

export const rateLimits: readonly Behaviour[] = [
  refusing('429', 'answers 429 forever, without Retry-After', 429, null, LONG),
  refusing('429-now', 'answers 429 forever, with Retry-After: 0', 429, '0', LONG),
  refusing('429-in-years', 'answers 429 with Retry-After: 999999999', 429, '999999999'),
  refusing('429-huge', 'answers 429 with a Retry-After of 30 digits', 429, '9'.repeat(30), LONG),
  refusing('429-negative', 'answers 429 with Retry-After: -1', 429, '-1', LONG),
  refusing('429-garbage', 'answers 429 with Retry-After: soon', 429, 'soon', LONG),
  refusing(
    '429-past',
    'answers 429 with a Retry-After in the past',
    429,
    'Thu, 01 Jan 1970 00:00:00 GMT',
    LONG,
  ),
  refusing(
    '429-date',
    'answers 429 with a Retry-After in the year 9999',
    429,
    'Fri, 31 Dec 9999 23:59:59 GMT',
  ),
  refusing('503-now', 'answers 503 forever, with Retry-After: 0', 503, '0'),
  refusing('503', 'answers 503 forever, without Retry-After', 503, null),
  refusing('503-in-years', 'answers 503 with Retry-After: 999999999', 503, '999999999'),
];
