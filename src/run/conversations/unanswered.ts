// Why a message got no answer, in the words of a finding.
import {
  type AnsweredExchange,
  type Exchange,
  type Heard,
  type HeardExchange,
  interrupted,
  type TransportFailure,
} from '../../model/exchange.ts';
import { bufferFrom, bytesFrom } from '../../model/sent.ts';
import { messagesInBody } from '../../wires/mcp/messages.ts';
import type { OpenConversation, Opening } from './opened.ts';

export const NOT_OPEN: TransportFailure = {
  code: 'no-session',
  fault: 'harness',
  message: 'the conversation was not opened',
};

export function notRunning(conversation: OpenConversation): TransportFailure {
  const ended = conversation.ended();
  return {
    code: 'not-running',
    fault: 'server',
    message: `the server had ended before: ${ended?.reason ?? 'it could not be started again'}`,
  };
}

/** An exchange that opens a conversation; one that came to nothing says why there is none. */
export function answeredOrNot(exchange: Exchange, opening: Opening, startTimeoutMs: number): Exchange {
  if (exchange.kind === 'unanswered' && exchange.reason.code === 'timeout')
    return { ...exchange, reason: lateStart(exchange.reason) };
  if (exchange.kind !== 'heard' || exchange.request.message.awaited === null) return exchange;
  const words = opening.kind === 'open' ? 'it ended' : opening.message;
  const judged = unansweredUnless(exchange, words, startTimeoutMs);
  if (judged.kind !== 'unanswered') return judged;
  const { reason } = judged;
  const message = words.replaceAll('\n', ' ');
  const failure = opening.kind === 'not-open' ? opening.failure : null;
  if (failure === 'silent') return { ...judged, reason: { ...reason, message } };
  if (reason.code === 'timeout') return { ...judged, reason: lateStart(reason) };
  return failure === 'ended' ? { ...judged, reason: { ...reason, code: 'no-session', message } } : judged;
}

function lateStart(reason: TransportFailure): TransportFailure {
  return { ...reason, message: `${reason.message} of its start: give it longer with --start-timeout` };
}

/** A process that ends takes every request with it that is under way, and which of them ended it cannot be seen. */
export function endedDuring(
  exchange: HeardExchange,
  conversation: OpenConversation,
  isAlone: boolean,
): Exchange {
  const how = conversation.ended()?.reason ?? 'it closed its standard output';
  const lost = unansweredUnless(exchange, how, 0);
  if (lost.kind !== 'unanswered' || isAlone) return lost;
  const message = `${lost.reason.message}. It had other requests to answer too, which may have ended it`;
  return { ...lost, reason: { ...lost.reason, code: 'ended-beside', message } };
}

export function unansweredUnless(exchange: HeardExchange, how: string, timeoutMs: number): Exchange {
  if (exchange.end === 'answered') return exchange;
  const { request, heard, timing } = exchange;
  return { kind: 'unanswered', request, reason: reasonOf(exchange.end, how, timeoutMs), heard, timing };
}

/** A stream of events that was closed at the time-out without an answer is none, although its head came. */
export function unansweredIfLate(exchange: AnsweredExchange, timeoutMs: number): Exchange {
  const { request, response, stream, timing } = exchange;
  const isLate = stream?.closedBy === 'probe' && stream.answeredAtMs === null;
  if (!isLate || (request.message?.awaited ?? null) === null) return exchange;
  const heard = messagesInBody(response.headers, bufferFrom(response.body)).map(
    ({ bytes }): Heard => ({
      bytes: bytesFrom(bytes),
      omittedBytes: 0,
      atMs: timing.durationMs,
      repeatedSecrets: [],
    }),
  );
  return { kind: 'unanswered', request, reason: reasonOf('silent', '', timeoutMs), heard, timing };
}

function reasonOf(
  end: Exclude<HeardExchange['end'], 'answered'>,
  how: string,
  timeoutMs: number,
): TransportFailure {
  const seconds = Math.round(timeoutMs) / 1000;
  switch (end) {
    case 'silent':
      return { code: 'timeout', fault: 'server', message: `no answer within ${seconds} s` };
    case 'not-read':
      return { code: 'timeout', fault: 'server', message: `the message was not read within ${seconds} s` };
    case 'closed':
      return {
        code: 'closed-early',
        fault: 'server',
        message: `the server ended before it answered: ${how}`,
      };
    case 'interrupted':
      return interrupted;
    default:
      return end satisfies never;
  }
}

export function withKey(exchange: Exchange, key: string): Exchange {
  const { request } = exchange;
  return { ...exchange, request: { ...request, key } } as Exchange;
}
