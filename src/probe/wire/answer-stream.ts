import { headerValues } from '../../model/exchange.ts';
import { createResponseParser, type WireLimits, type WireResponse } from './response-parser.ts';
import { failureOf } from './send-request.ts';
import { staysOpen } from './stays-open.ts';

/** What came of one answer of many; `bad` means that the connection is of no more use. */
export type StreamedAnswer =
  | { readonly kind: 'complete'; readonly status: number; readonly reusable: boolean }
  | { readonly kind: 'bad'; readonly code: string; readonly message: string };

/** Reads the answers that follow one another on a connection. */
export interface AnswerStream {
  /** A request was sent whose answer comes next. */
  expect(index: number): void;
  /** Null while the answer is not whole. The bytes may be overwritten afterwards. */
  push(bytes: Buffer): StreamedAnswer | null;
  end(): StreamedAnswer | null;
}

/** The head of an answer that was parsed, and what it meant: the same bytes mean the same. */
interface KnownHead {
  readonly bytes: Buffer;
  readonly bodyBytes: number;
  readonly answer: StreamedAnswer;
}

/** What connections to the same target learn of its answers, by place in the plan. */
export type KnownHeads = (KnownHead | undefined)[];

/**
 * A load reads the same answer again and again. Each is parsed strictly, but a head that was parsed before is only
 * compared: at a hundred thousand answers in a second, that is what there is time for.
 */
export function createAnswerStream(
  methods: readonly string[],
  limits: WireLimits,
  known: KnownHeads,
): AnswerStream {
  let index = 0;
  let expecting = false;
  let parser: ReturnType<typeof createResponseParser> | null = null;
  let left = 0;
  let leftAnswer: StreamedAnswer | null = null;
  let firstPush = true;

  const finish = (answer: StreamedAnswer): StreamedAnswer => {
    expecting = false;
    return answer;
  };

  const parse = (bytes: Buffer): StreamedAnswer | null => {
    parser ??= createResponseParser(methods[index] ?? 'GET', limits);
    const whole = firstPush;
    firstPush = false;
    // The parser keeps parts of what it is given.
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
    push: (bytes) => {
      if (!expecting) return unasked;
      if (leftAnswer !== null) {
        left -= bytes.length;
        if (left > 0) return null;
        return finish(left === 0 ? leftAnswer : withExcess(leftAnswer));
      }
      const head = known[index];
      if (
        head !== undefined &&
        firstPush &&
        bytes.length >= head.bytes.length &&
        head.bytes.compare(bytes, 0, head.bytes.length) === 0
      ) {
        left = head.bytes.length + head.bodyBytes - bytes.length;
        if (left === 0) return finish(head.answer);
        if (left < 0) return finish(withExcess(head.answer));
        leftAnswer = head.answer;
        return null;
      }
      return parse(bytes);
    },
    end: () => {
      if (!expecting) return null;
      if (leftAnswer !== null) return finish(endedInBody);
      parser ??= createResponseParser(methods[index] ?? 'GET', limits);
      const state = parser.end();
      if (state.kind === 'complete') return finish(answerOf(state.response));
      return state.kind === 'incomplete' ? null : finish(badAnswer(state));
    },
  };
}

/** What clients put up with, at the price of the connection. */
function withExcess(answer: StreamedAnswer): StreamedAnswer {
  return answer.kind === 'complete' ? { ...answer, reusable: false } : answer;
}

const unasked: StreamedAnswer = {
  kind: 'bad',
  code: 'invalid-http',
  message: 'bytes came that answer no request',
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

/** The body follows the head, as it is, and nothing came before or after. */
function isSized({ headers, framed, informational, oddities, body }: WireResponse): boolean {
  const lengths = headerValues(headers, 'content-length');
  return framed && informational === 0 && oddities.length === 0 && lengths[0] === String(body.length);
}
