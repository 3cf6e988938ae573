import { headerValues } from '../../model/exchange.ts';
import { EXCESS, ResponseParser } from './response-parser.ts';
import { failureOf } from './send-request.ts';
import type { WireLimits, WireResponse } from './wire-response.ts';

/** The outcome of one answer on a connection; after `bad`, the connection cannot be used. */
export type StreamedAnswer =
  | { readonly kind: 'complete'; readonly status: number; readonly reusable: boolean }
  | { readonly kind: 'bad'; readonly code: string; readonly message: string };

export interface AnswerStream {
  /** Announces the request whose answer comes next. */
  expect(index: number): void;
  /**
   * Takes the first `length` bytes. Null while the answer is incomplete. The caller may overwrite the bytes afterwards.
   */
  push(bytes: Buffer, length?: number): StreamedAnswer | null;
  end(): StreamedAnswer | null;
}

/** A parsed head and its meaning: the same bytes mean the same. */
interface KnownHead {
  readonly bytes: Buffer;
  readonly bodyBytes: number;
  readonly answer: StreamedAnswer;
}

/** The heads known for a target, by index in the plan; shared by its connections. */
export type KnownHeads = (KnownHead | undefined)[];

/**
 * A load receives the same answer many times. A new head is parsed strictly; a known head is only compared, because at
 * a hundred thousand answers per second there is no time for more.
 */
export function createAnswerStream(
  methods: readonly string[],
  limits: WireLimits,
  known: KnownHeads,
): AnswerStream {
  let index = 0;
  let expecting = false;
  let parser: ResponseParser | null = null;
  let left = 0;
  let leftAnswer: StreamedAnswer | null = null;
  let firstPush = true;

  const finish = (answer: StreamedAnswer): StreamedAnswer => {
    expecting = false;
    return answer;
  };

  const parse = (bytes: Buffer): StreamedAnswer | null => {
    parser ??= new ResponseParser(methods[index] ?? 'GET', limits);
    const whole = firstPush;
    firstPush = false;
    // The parser keeps parts of its input, so it gets a copy.
    const own = Buffer.from(bytes);
    const state = parser.push(own);
    if (state.kind === 'incomplete') return null;
    if (state.kind !== 'complete') return finish(badAnswer(state));
    const { response } = state;
    const answer = answerOf(response);
    if (whole && isSized(response))
      known[index] = {
        bytes: own.subarray(0, own.length - response.body.length),
        bodyBytes: response.body.length,
        answer,
      };
    return finish(answer);
  };

  return {
    expect: (next) => {
      index = next;
      expecting = true;
      parser = null;
      left = 0;
      leftAnswer = null;
      firstPush = true;
    },
    push: (bytes, length = bytes.length) => {
      if (!expecting) return unrequested;
      if (leftAnswer !== null) {
        left -= length;
        if (left > 0) return null;
        return finish(left === 0 ? leftAnswer : withExcess(leftAnswer));
      }
      const head = known[index];
      if (
        head !== undefined &&
        firstPush &&
        length >= head.bytes.length &&
        head.bytes.compare(bytes, 0, head.bytes.length) === 0
      ) {
        left = head.bytes.length + head.bodyBytes - length;
        if (left === 0) return finish(head.answer);
        if (left < 0) return finish(withExcess(head.answer));
        leftAnswer = head.answer;
        return null;
      }
      return parse(bytes.subarray(0, length));
    },
    end: () => {
      if (!expecting) return null;
      if (leftAnswer !== null) return finish(endedInBody);
      parser ??= new ResponseParser(methods[index] ?? 'GET', limits);
      const state = parser.end();
      if (state.kind === 'complete') return finish(answerOf(state.response));
      return state.kind === 'incomplete' ? null : finish(badAnswer(state));
    },
  };
}

/** Clients tolerate excess bytes, but close the connection. */
function withExcess(answer: StreamedAnswer): StreamedAnswer {
  return answer.kind === 'complete' ? { ...answer, reusable: false } : answer;
}

const unrequested: StreamedAnswer = {
  kind: 'bad',
  code: 'invalid-http',
  message: 'bytes were received without a request',
};

const endedInBody: StreamedAnswer = {
  kind: 'bad',
  code: 'closed-early',
  message:
    'the answer breaks HTTP/1.1: the connection was closed in the middle of the body: it is shorter than Content-Length says',
};

function badAnswer(state: Parameters<typeof failureOf>[0]): StreamedAnswer {
  const { code, message } = failureOf(state);
  return { kind: 'bad', code, message };
}

function answerOf(response: WireResponse): StreamedAnswer {
  const { bodyProblem } = response;
  if (bodyProblem !== null) return { kind: 'bad', code: bodyProblem.code, message: bodyProblem.message };
  return { kind: 'complete', status: response.status, reusable: staysOpen(response) };
}

/** The body has a Content-Length and no coding, and nothing unusual came before it. */
function isSized({ headers, framed, informational, oddities, body }: WireResponse): boolean {
  const lengths = headerValues(headers, 'content-length');
  return framed && informational === 0 && oddities.length === 0 && lengths[0] === String(body.length);
}

/** Whether the connection may carry another request after this answer (RFC 9112, section 9.3). */
export function staysOpen({ version, headers, oddities, framed }: WireResponse): boolean {
  const options = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((option) => option.trim());
  if (!framed || oddities.includes(EXCESS) || options.includes('close')) return false;
  return version !== '1.0' || options.includes('keep-alive');
}
