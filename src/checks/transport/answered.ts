import type { PlannedCall } from '../../model/call.ts';
import { type Answer, isSuccess, type UnansweredExchange } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { describeAnswer } from '../answers.ts';
import { defineCheck } from '../define-check.ts';
import { noAnswerFinding } from '../transport-advice.ts';

const PERHAPS_TLS =
  'If the server speaks TLS on this port, the address must begin with https. Otherwise look in its log: it accepted the connection and closed it without an answer.';

function isSilentClose({ reason, request, timing }: UnansweredExchange): boolean {
  return (
    reason.code === 'closed-early' &&
    timing.firstByteMs === null &&
    'url' in request &&
    request.url.startsWith('http:')
  );
}

function adviceFor(exchange: UnansweredExchange, call: PlannedCall | null): string | null {
  if (isSilentClose(exchange)) return PERHAPS_TLS;
  if (exchange.reason.code !== 'no-valid-input' || call === null) return null;
  const example = call.form === 'mcp' ? 'examples to the inputSchema' : 'an example to the descriptor';
  return `Add ${example}, or an input under samples: ${JSON.stringify(call.functionName)} in probity.config.yaml.`;
}

/** A request of the Model Context Protocol is answered with a message, whatever else HTTP says. */
function lacksMessage(exchange: Answer): boolean {
  const isAwaited = (exchange.request.message?.awaited ?? null) !== null;
  const isRefused = exchange.kind === 'answered' && !isSuccess(exchange.response.status);
  return isAwaited && !isRefused && answeringMessage(exchange) === undefined;
}

function noMessageIn(exchange: Answer): Finding {
  return failed({
    message: 'no message answers the request',
    expected: 'a message of JSON-RPC with the id of the request',
    received: describeAnswer(exchange),
  });
}

export const answered = defineCheck(
  'exchange',
  'answered',
  'the request gets an answer',
  ({ exchange, call }) => {
    if (exchange.kind !== 'unanswered') return lacksMessage(exchange) ? noMessageIn(exchange) : passed;
    const { reason, request } = exchange;
    if (reason.code === 'not-sent') return inapplicable(reason.message);
    const advice = adviceFor(exchange, call);
    return noAnswerFinding(reason, { exchangeKey: request.key, ...(advice === null ? {} : { advice }) });
  },
  { establishes: 'answer' },
);
