import type { Exchange } from '../../model/exchange.ts';
import { inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { noAnswerFinding } from '../transport-advice.ts';

const PERHAPS_TLS =
  'If the server speaks TLS on this port, the address must begin with https. Otherwise look in its log: it accepted the connection and closed it without an answer.';

function isSilentClose({ reason, request, timing }: Extract<Exchange, { kind: 'unanswered' }>): boolean {
  return reason.code === 'closed-early' && timing.firstByteMs === null && request.url.startsWith('http:');
}

export const answered = defineCheck(
  'exchange',
  'answered',
  'the request gets an answer',
  ({ exchange }) => {
    if (exchange.kind === 'answered') return passed;
    const { reason, request } = exchange;
    if (reason.code === 'not-sent') return inapplicable(reason.message);
    const advice = isSilentClose(exchange) ? { advice: PERHAPS_TLS } : {};
    return noAnswerFinding(reason, { exchangeKey: request.key, ...advice });
  },
  { establishes: 'answer' },
);
