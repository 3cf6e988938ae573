import type { PlannedCall } from '../../model/call.ts';
import type { Exchange } from '../../model/exchange.ts';
import { inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { noAnswerFinding } from '../transport-advice.ts';

const PERHAPS_TLS =
  'If the server speaks TLS on this port, the address must begin with https. Otherwise look in its log: it accepted the connection and closed it without an answer.';

type Unanswered = Extract<Exchange, { kind: 'unanswered' }>;

function isSilentClose({ reason, request, timing }: Unanswered): boolean {
  return reason.code === 'closed-early' && timing.firstByteMs === null && request.url.startsWith('http:');
}

function adviceFor(exchange: Unanswered, call: PlannedCall | null): string | null {
  if (isSilentClose(exchange)) return PERHAPS_TLS;
  if (exchange.reason.code !== 'no-valid-input' || call === null) return null;
  return `Add an example to the descriptor, or an input under samples: ${JSON.stringify(call.functionName)} in probity.config.yaml.`;
}

export const answered = defineCheck(
  'exchange',
  'answered',
  'the request gets an answer',
  ({ exchange, call }) => {
    if (exchange.kind === 'answered') return passed;
    const { reason, request } = exchange;
    if (reason.code === 'not-sent') return inapplicable(reason.message);
    const advice = adviceFor(exchange, call);
    return noAnswerFinding(reason, { exchangeKey: request.key, ...(advice === null ? {} : { advice }) });
  },
  { establishes: 'answer' },
);
