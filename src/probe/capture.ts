import { shorten } from '../json/json.ts';
import type {
  AnsweredExchange,
  Connection,
  Header,
  SentRequest,
  StreamEnd,
  Timing,
  TransportFailure,
  UnansweredExchange,
} from '../model/exchange.ts';
import type { PlannedHttp } from '../model/probe.ts';
import { bytesFrom, sentBody } from '../model/sent.ts';
import type { GivenHeader } from './given-headers.ts';
import type { Redactor } from './redactor.ts';
import type { WireResponse } from './wire/wire-response.ts';

export interface ReceivedAnswer {
  readonly kind: 'received';
  readonly response: Pick<WireResponse, 'status' | 'headers' | 'body' | 'bodyProblem' | 'oddities'>;
  readonly connection: Connection;
  readonly stream?: StreamEnd | undefined;
}

/**
 * Secrets are removed here, where everything that is stored of a request and its answer is created. Later stages never
 * see them, so judging a saved report gives the same result.
 */

export function captureRequest(
  { key, method, url, body, upgrade, message }: PlannedHttp,
  own: readonly Header[],
  given: readonly GivenHeader[],
  redactor: Redactor,
): SentRequest {
  return {
    key,
    method,
    url: redactor.text(url),
    headers: [
      ...(upgrade === null ? [] : UPGRADE_HEADERS),
      ...own.map(([name, value]): Header => [name, redactor.text(value)]),
      ...given.map(({ name, shownValue }): Header => [name, redactor.text(shownValue)]),
    ],
    body: sentBody(body, (bytes) => redactor.bytes(bytes)),
    ...(message === undefined ? {} : { message }),
  };
}

/** The wire code adds these headers when it frames the request; a curl command needs them. */
const UPGRADE_HEADERS: readonly Header[] = [
  ['connection', 'Upgrade'],
  ['upgrade', 'websocket'],
];

export function captureAnswer(
  request: SentRequest,
  { response, connection, stream }: ReceivedAnswer,
  redactor: Redactor,
  timing: Timing,
): AnsweredExchange {
  const headers = response.headers.map(
    ([name, value]): Header => [redactor.text(name), redactor.text(value)],
  );
  const { bodyProblem } = response;
  const repeatedSecrets = redactor.repeatedIn(response.headers.flat(), response.body);
  return {
    kind: 'answered',
    request,
    response: {
      status: response.status,
      headers,
      body: bytesFrom(redactor.bytes(response.body)),
      ...(bodyProblem === null ? {} : { bodyProblem: shown(bodyProblem, redactor) }),
      repeatedSecrets,
      oddities: response.oddities.map((oddity) => redactor.text(oddity)),
    },
    connection,
    ...(stream === undefined ? {} : { stream }),
    timing,
  };
}

const MAX_MESSAGE_CHARACTERS = 300;

/**
 * Failures may quote what the target sent. They are redacted before they are shortened, so that no partial secret
 * remains.
 */
export function captureFailure(
  request: SentRequest,
  failure: TransportFailure,
  redactor: Redactor,
  timing: Timing,
): UnansweredExchange {
  return { kind: 'unanswered', request, reason: shown(failure, redactor), timing };
}

function shown({ code, fault, message }: TransportFailure, redactor: Redactor): TransportFailure {
  return { code, fault, message: shorten(redactor.text(message), MAX_MESSAGE_CHARACTERS) };
}
