import { failed, inapplicable, inconclusive, passed } from '../model/judgement.ts';
import { defineCheck } from './define-check.ts';

/** Codes that say nothing about the server, only that this run could not ask it. */
const UNASKED = new Set(['deadline', 'interrupted', 'run-bytes-spent', 'not-recorded', 'name-lookup-failed']);

export const answered = defineCheck('exchange', 'answered', 'the request gets an answer', ({ exchange }) => {
  if (exchange.kind === 'answered') return passed;
  const { code, message, fault } = exchange.reason;
  if (code === 'not-sent') return inapplicable(message);
  const evidence = {
    message,
    expected: 'an answer',
    received: `none: ${code}`,
    fault,
    exchangeKey: exchange.request.key,
  };
  if (UNASKED.has(code) || fault === 'harness') return inconclusive(evidence);
  return failed(evidence);
});
