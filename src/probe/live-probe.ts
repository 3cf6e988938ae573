import { Readable } from 'node:stream';
import { Client, type Dispatcher } from 'undici';
import { bytesFrom } from '../model/bytes.ts';
import {
  type Exchange,
  type Header,
  headerValue,
  type SentRequest,
  type TransportFailure,
  type TransportFailureCode,
} from '../model/exchange.ts';
import type { Clock, PlannedRequest, Probe } from '../model/probe.ts';
import { createConnector } from './connector.ts';
import { decodeContent } from './content-encoding.ts';
import { createRedactor, type Redactor, type Secret } from './redactor.ts';
import { transportFailure } from './transport-failure.ts';
import { lookAgain } from './wire/second-look.ts';

/** A header that the user gave, with what is kept of it. */
export interface GivenHeader {
  readonly name: string;
  readonly value: string;
  /** The value with its secret replaced: `Bearer $PROBITY_TOKEN`. */
  readonly shownValue: string;
}

export interface LiveProbeOptions {
  readonly clock: Clock;
  /** Sent with every request; they win over a step's own headers of the same name. */
  readonly headers: readonly GivenHeader[];
  readonly secrets: readonly Secret[];
  readonly maxHeaderBytes: number;
  /** For one body, as received and again as decoded. */
  readonly maxBodyBytes: number;
  /** For all bodies of a run together: a report keeps them, so that it can be judged again. */
  readonly maxRunBytes: number;
  /** Connect to nothing but public addresses. */
  readonly publicOnly?: boolean;
  /** Ends every request at once. */
  readonly signal: AbortSignal;
}

export const DEFAULT_BOUNDS = {
  maxHeaderBytes: 64 * 1024,
  maxBodyBytes: 8 * 1024 * 1024,
  maxRunBytes: 64 * 1024 * 1024,
} as const;

/** Sends requests over HTTP/1.1, each on a connection of its own: a reused one may be handed another answer. */
export function createLiveProbe(options: LiveProbeOptions): Probe {
  const redactor = createRedactor(options.secrets);
  const underWay = new Set<EndRequest>();
  options.signal.addEventListener('abort', () => {
    for (const end of underWay) end(interrupted);
  });
  let runBytes = 0;
  return {
    send: async (planned) => {
      const own = withoutNames(planned.headers, options.headers);
      const headers = [...own, ...options.headers.map(({ name, value }): Header => [name, value])];
      const request = captureRequest(planned, own, options.headers, redactor);
      if (runBytes > options.maxRunBytes)
        return unsent(request, options.clock, runBytesSpent(options.maxRunBytes));
      const first = await ask(planned, headers, options, underWay);
      const answer = isDoubtful(first) ? await settleDoubt(first, planned, headers, options) : first;
      if (answer.kind === 'received') runBytes += answer.body.byteLength;
      return capture(request, answer, redactor, options.maxBodyBytes);
    },
  };
}

/** Failures that may be the HTTP client's dislike of something legal, and not the server's. */
const DOUBTFUL: ReadonlySet<TransportFailureCode> = new Set(['invalid-http', 'headers-too-large']);

type FailedAnswer = Extract<Answer, { readonly kind: 'failed' }>;

function isDoubtful(answer: Answer): answer is FailedAnswer {
  return answer.kind === 'failed' && DOUBTFUL.has(answer.failure.code);
}

const MAX_HEADER_COUNT = 1000;
const MAX_INFORMATIONAL = 16;

/** Asks once more over a plain socket, in the time that is left, and believes that answer. */
async function settleDoubt(
  first: FailedAnswer,
  planned: PlannedRequest,
  headers: readonly Header[],
  options: LiveProbeOptions,
): Promise<Answer> {
  const { clock, maxHeaderBytes, maxBodyBytes } = options;
  const timeoutMs = Math.ceil(planned.timeoutMs - first.timing.durationMs);
  if (planned.abortAfterBytes !== null || timeoutMs <= 0) return first;
  const startedAtMs = clock.nowMs();
  const startMs = clock.monotonicMs();
  let connectMs: number | null = null;
  const connect = createConnector({
    timeoutMs,
    publicOnly: options.publicOnly ?? false,
    onConnected: () => {
      connectMs = clock.monotonicMs() - startMs;
    },
  });
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)]);
  const limits = {
    maxHeaderBytes,
    maxBodyBytes,
    maxHeaderCount: MAX_HEADER_COUNT,
    maxInformational: MAX_INFORMATIONAL,
  };
  const request = { method: planned.method, url: new URL(planned.url), headers, body: planned.body };
  const looked = await lookAgain(request, connect, limits, signal);
  const durationMs = rounded(clock.monotonicMs() - startMs);
  const timing = { startedAtMs, connectMs: rounded(connectMs), firstByteMs: null, durationMs };
  if ('failure' in looked) {
    const failure = options.signal.aborted ? interrupted : looked.failure;
    return { kind: 'failed', failure, timing };
  }
  const { status, headers: received, body } = looked.response;
  return { kind: 'received', status, headers: received, body, timing };
}

interface AnswerTiming {
  readonly startedAtMs: number;
  readonly connectMs: number | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
}

type Answer =
  | {
      readonly kind: 'received';
      readonly status: number;
      readonly headers: readonly Header[];
      readonly body: Buffer;
      readonly timing: AnswerTiming;
    }
  | { readonly kind: 'failed'; readonly failure: TransportFailure; readonly timing: AnswerTiming };

type EndRequest = (failure: TransportFailure) => void;

/** Thrown into the HTTP client to end a request; carries what the exchange will say. */
class EndedByProbe extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

function ask(
  planned: PlannedRequest,
  headers: readonly Header[],
  options: LiveProbeOptions,
  underWay: Set<EndRequest>,
): Promise<Answer> {
  const { clock, signal, maxBodyBytes } = options;
  const url = new URL(planned.url);
  const startedAtMs = clock.nowMs();
  const startMs = clock.monotonicMs();
  let connectMs: number | null = null;
  let firstByteMs: number | null = null;
  const elapsedMs = (): number => clock.monotonicMs() - startMs;
  const client = new Client(url.origin, {
    connect: createConnector({
      timeoutMs: planned.timeoutMs,
      publicOnly: options.publicOnly ?? false,
      onConnected: () => {
        connectMs = elapsedMs();
      },
    }),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: options.maxHeaderBytes,
  });
  return new Promise<Answer>((resolve) => {
    let received: { status: number; headers: readonly Header[] } | null = null;
    const chunks: Buffer[] = [];
    let bodyBytes = 0;
    const end: EndRequest = (failure) =>
      void client.destroy(new EndedByProbe(failure)).catch(() => undefined);
    const giveUp = (): void => {
      if (underWay.has(end)) end(timedOut(planned.timeoutMs, connectMs, received !== null));
    };
    // When this process itself was held up, the answer may be waiting to be read: look once more before blaming anyone.
    const timer = setTimeout(() => setImmediate(giveUp), planned.timeoutMs);
    underWay.add(end);
    const timing = (): AnswerTiming => ({
      startedAtMs,
      connectMs: rounded(connectMs),
      firstByteMs: rounded(firstByteMs),
      durationMs: rounded(elapsedMs()),
    });
    const settle = (answer: Answer): void => {
      clearTimeout(timer);
      underWay.delete(end);
      resolve(answer);
      client.destroy().catch(() => undefined);
    };
    const fail = (error: unknown): void => {
      const failure = error instanceof EndedByProbe ? error.failure : transportFailure(error);
      settle({ kind: 'failed', failure, timing: timing() });
    };
    if (signal.aborted) {
      fail(new EndedByProbe(interrupted));
      return;
    }
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (controller, status, parsedHeaders) => {
        firstByteMs ??= elapsedMs();
        if (status >= 200) received = { status, headers: headerPairs(controller.rawHeaders, parsedHeaders) };
      },
      onResponseData: (controller, chunk) => {
        bodyBytes += chunk.byteLength;
        chunks.push(chunk);
        if (bodyBytes > maxBodyBytes) controller.abort(new EndedByProbe(bodyTooLarge(maxBodyBytes)));
      },
      onResponseEnd: () => {
        if (received !== null)
          settle({ kind: 'received', ...received, body: Buffer.concat(chunks), timing: timing() });
      },
      onResponseError: (_controller, error) => fail(error),
    };
    try {
      client.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: planned.method as Dispatcher.HttpMethod,
          headers: [...headers, ...announcedLength(planned)].flat(),
          body: requestBody(planned, () => end(abortedOnPurpose)),
          reset: true,
        },
        handler,
      );
    } catch (error) {
      fail(error);
    }
  });
}

/** A body that is cut off must be announced whole, or the part would be taken for all of it. */
function announcedLength({ body, abortAfterBytes }: PlannedRequest): readonly Header[] {
  return abortAfterBytes === null ? [] : [['content-length', String(body?.byteLength ?? 0)]];
}

/** A body that is cut off on purpose announces its full length, sends a part, and goes away. */
function requestBody(planned: PlannedRequest, goAway: () => void): Buffer | Readable | null {
  const { body, abortAfterBytes } = planned;
  if (abortAfterBytes === null) return body === null ? null : Buffer.from(body);
  return Readable.from(
    (async function* () {
      yield (body ?? new Uint8Array()).subarray(0, abortAfterBytes);
      setImmediate(goAway);
      await new Promise(() => undefined);
    })(),
  );
}

async function capture(
  request: SentRequest,
  answer: Answer,
  redactor: Redactor,
  maxBodyBytes: number,
): Promise<Exchange> {
  const { timing } = answer;
  if (answer.kind === 'failed') return unanswered(request, answer.failure, redactor, timing);
  const decoded = await decodeContent(
    answer.body,
    headerValue(answer.headers, 'content-encoding'),
    maxBodyBytes,
  );
  if ('failure' in decoded) return unanswered(request, decoded.failure, redactor, timing);
  const headers = answer.headers.map(([name, value]): Header => [redactor.text(name), redactor.text(value)]);
  return {
    kind: 'answered',
    request,
    response: { status: answer.status, headers, body: bytesFrom(redactor.bytes(decoded.bytes)) },
    timing,
  };
}

/** Failures may quote what the target sent, so they are redacted like the rest. */
function unanswered(
  request: SentRequest,
  { code, fault, message }: TransportFailure,
  redactor: Redactor,
  timing: AnswerTiming,
): Exchange {
  return { kind: 'unanswered', request, reason: { code, fault, message: redactor.text(message) }, timing };
}

function captureRequest(
  planned: PlannedRequest,
  own: readonly Header[],
  given: readonly GivenHeader[],
  redactor: Redactor,
): SentRequest {
  return {
    key: planned.key,
    method: planned.method,
    url: redactor.text(planned.url),
    headers: [
      ...own.map(([name, value]): Header => [name, redactor.text(value)]),
      ...given.map(({ name, shownValue }): Header => [name, redactor.text(shownValue)]),
    ],
    body: planned.body === null ? null : bytesFrom(redactor.bytes(Buffer.from(planned.body))),
  };
}

function withoutNames(headers: readonly Header[], given: readonly GivenHeader[]): readonly Header[] {
  const overridden = new Set(given.map(({ name }) => name.toLowerCase()));
  return headers.filter(([name]) => !overridden.has(name.toLowerCase()));
}

function headerPairs(
  raw: Dispatcher.DispatchController['rawHeaders'],
  parsed: Record<string, string | string[] | undefined>,
): readonly Header[] {
  if (Array.isArray(raw)) {
    const texts = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
    return texts.flatMap((name, index): readonly Header[] =>
      index % 2 === 0 ? [[name, (texts[index + 1] ?? '').replaceAll(/^[ \t]+|[ \t]+$/g, '')]] : [],
    );
  }
  return Object.entries(parsed).flatMap(([name, value]) =>
    [value ?? ''].flat().map((single): Header => [name, single]),
  );
}

function unsent(request: SentRequest, clock: Clock, reason: TransportFailure): Exchange {
  return {
    kind: 'unanswered',
    request,
    reason,
    timing: { startedAtMs: clock.nowMs(), connectMs: null, firstByteMs: null, durationMs: 0 },
  };
}

function rounded<T extends number | null>(ms: T): T {
  return (ms === null ? null : Math.round(ms * 1000) / 1000) as T;
}

function timedOut(timeoutMs: number, connectMs: number | null, headReceived: boolean): TransportFailure {
  const seconds = `${Number((timeoutMs / 1000).toFixed(3))} s`;
  if (connectMs === null)
    return { code: 'connect-timeout', fault: 'network', message: `no connection within ${seconds}` };
  const what = headReceived ? 'the answer was not complete' : 'no answer';
  return { code: 'timeout', fault: 'server', message: `${what} within ${seconds}` };
}

const interrupted: TransportFailure = {
  code: 'interrupted',
  fault: 'harness',
  message: 'the run was interrupted',
};
const abortedOnPurpose: TransportFailure = {
  code: 'aborted-on-purpose',
  fault: 'harness',
  message: 'the request was cut off on purpose',
};

function bodyTooLarge(maxBytes: number): TransportFailure {
  return {
    code: 'body-too-large',
    fault: 'harness',
    message: `the body is larger than the harness reads (${maxBytes} bytes)`,
  };
}

function runBytesSpent(maxBytes: number): TransportFailure {
  return {
    code: 'run-bytes-spent',
    fault: 'harness',
    message: `the answers of this run are larger than the harness keeps (${maxBytes} bytes)`,
  };
}
