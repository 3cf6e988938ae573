import type { ClientAnswers } from '../../model/call.ts';
import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { answeredKey } from '../../model/exchange-key.ts';
import type { MessageToSend } from '../../model/probe.ts';
import { answeredParams, MAX_ROUNDS } from '../../wires/mcp/client-answers.ts';
import { resultOf } from '../../wires/mcp/lists.ts';
import { isUnrecorded } from '../state/request-outcome.ts';
import type { ScheduledRequest } from './instance-request.ts';

/**
 * Sends a request again with what its server asked for instead of answering it, a few times (revision 2026-07-28, multi
 * round-trip requests). Each round is an exchange of the run; the last one is the answer.
 */
export async function withAnswers(
  request: ScheduledRequest,
  first: Exchange,
  answers: ClientAnswers,
  send: (next: ScheduledRequest) => Promise<Exchange>,
): Promise<Exchange> {
  let exchange = first;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const sends = answering(request, exchange, answers);
    if (sends === null) break;
    const next = await send({ ...request, sends, key: answeredKey(exchange.request.key, round) });
    if (isUnrecorded(next)) break;
    exchange = next;
  }
  return exchange;
}

/** The message with answers to what the server asked; null if it asked nothing. */
function answering(
  request: ScheduledRequest,
  exchange: Exchange,
  answers: ClientAnswers,
): MessageToSend | null {
  if (!('sends' in request) || request.sends.kind !== 'message' || !isAnswer(exchange)) return null;
  const { message, keepsQuestions = false } = request.sends;
  if (keepsQuestions) return null;
  const params = answeredParams(message, resultOf(exchange) ?? null, answers);
  return params === null ? null : { kind: 'message', message: { ...message, params } };
}
