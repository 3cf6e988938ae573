import { BARE_LF } from '../../model/exchange.ts';
import { failed, passed } from '../../model/judgement.ts';
import { answersIn, NO_ANSWER } from '../answers.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';

export const crlfLineEnds = defineCheck(
  'step',
  'crlf-line-ends',
  'the status line and the headers of every answer end their lines in CRLF',
  ({ asked }) => {
    const answers = answersIn(asked);
    if (answers.length === 0) return cannotJudge('no-answer');
    const odd = answers.filter(({ response }) => response.oddities.includes(BARE_LF));
    const [first] = odd;
    if (first === undefined) return passed;
    return failed({
      message: 'lines of the status line and the headers end in LF alone',
      expected: 'CRLF at the end of every line',
      received: `LF alone in ${odd.length} of ${answers.length} answers`,
      exchangeKey: first.request.key,
    });
  },
  NO_ANSWER,
);
