import { type Exchange, headerValue, isAnswer } from '../../model/exchange.ts';
import { isHttpRequest, messageMethod } from '../../model/sent.ts';
import { answeringMessage } from './answer.ts';
import { SESSION_ID } from './http-headers.ts';
import { INITIALIZED } from './opening.ts';

/** What must be sent before an exchange, so that its server is in the same state when it is repeated. */
export interface SentBefore {
  /** The question that opened the session; null in the stateless era, and where nothing was opened. */
  readonly initialize: Exchange | null;
  /** What followed it: that the client is ready, and whatever was sent before the exchange on purpose. */
  readonly others: readonly Exchange[];
  /** Of the header Mcp-Session-Id; null if the server gave none, or over standard streams. */
  readonly sessionId: string | null;
  /** What opened a conversation without a session: the question which revisions the server speaks. */
  readonly discover: Exchange | null;
}

/** Reads it from what was sent before, in its order. Questions that a server refused are left out. */
export function sentBefore({ request }: Exchange, opening: readonly Exchange[]): SentBefore {
  const place = opening.findIndex((one) => one.request.key === request.key);
  const earlier = place < 0 ? opening : opening.slice(0, place);
  const asked = earlier.filter((one) => messageMethod(one.request) === 'initialize');
  const isGranted = (one: Exchange): boolean =>
    isAnswer(one) && answeringMessage(one)?.message.kind === 'result';
  const initialize = asked.findLast(isGranted) ?? asked.at(-1) ?? null;
  const from = initialize === null ? 0 : earlier.indexOf(initialize) + 1;
  return {
    initialize,
    others: earlier.slice(from).filter((one) => !isDiscover(one)),
    sessionId: initialize?.kind === 'answered' ? sessionIdIn(initialize.response.headers) : null,
    discover: initialize === null ? (earlier.find(isDiscover) ?? null) : null,
  };
}

export function isInitialized({ request }: Exchange): boolean {
  return messageMethod(request) === INITIALIZED.method;
}

function isDiscover({ request }: Exchange): boolean {
  return messageMethod(request) === 'server/discover';
}

/** Whether a request names this session. */
export function isOfSession({ request }: Exchange, sessionId: string): boolean {
  return isHttpRequest(request) && sessionIdIn(request.headers) === sessionId;
}

function sessionIdIn(headers: Parameters<typeof headerValue>[0]): string | null {
  return headerValue(headers, SESSION_ID) ?? null;
}
