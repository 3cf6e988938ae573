import { describeAnswer, isServed } from '../../checks/json/answers.ts';
import type { Exchange } from '../../model/exchange.ts';
import { exchangeKey } from '../../model/exchange-key.ts';
import type { LoadFailure, LoadTransport } from '../../model/load.ts';
import type { PlannedMessage, Probe } from '../../model/probe.ts';

/** A call that was answered with a result. The engine counts statuses, and a message has none. */
const SERVED = 200;
/** The code of a call that the tool, or the protocol, refused. */
const REFUSED = 'refused';

type TimedMessage = Pick<PlannedMessage, 'conversation' | 'sends' | 'headers' | 'anonymous'>;

/**
 * Sends the timed messages of a run in the conversation that its other messages use: the figures are those of a client
 * that is already connected. An answer counts from the moment in which its last byte came, and is read afterwards.
 */
export function createMessageTransport(
  probe: Probe,
  messages: readonly TimedMessage[],
  { key, timeoutMs }: { readonly key: string; readonly timeoutMs: number },
): LoadTransport {
  let calls = 0;
  const ask = (index: number): Promise<Exchange> => {
    const message = messages[index];
    if (message === undefined) throw new RangeError(`there is no message ${index}`);
    calls += 1;
    const keyOfCall = exchangeKey(`${key}%timed`, calls);
    return probe.send({
      ...message,
      key: keyOfCall,
      timeoutMs,
      feedsLaterSteps: false,
      keepsConnection: true,
    });
  };
  return {
    name: 'message',
    connect: (_requests, listener) => {
      /** Identifies the call under way, so that the answer to a cancelled one is ignored. */
      let turn = 0;
      return {
        // The conversation is open.
        open: async () => undefined,
        send: (index, nowMs) => {
          turn += 1;
          const own = turn;
          void ask(index).then((exchange) => {
            if (own !== turn) return;
            const failure = failureOf(exchange);
            if (failure === null) listener.onAnswer(SERVED, nowMs + durationMs(exchange));
            else listener.onFailure(failure);
          });
        },
        drop: () => {
          turn += 1;
        },
      };
    },
  };
}

function durationMs(exchange: Exchange): number {
  const answeredAtMs = exchange.kind === 'answered' ? exchange.stream?.answeredAtMs : null;
  return answeredAtMs ?? exchange.timing.durationMs;
}

function failureOf(exchange: Exchange): LoadFailure | null {
  if (exchange.kind === 'unanswered') return exchange.reason;
  if (isServed(exchange)) return null;
  return { code: REFUSED, message: describeAnswer(exchange) };
}
