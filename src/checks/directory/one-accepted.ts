import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { answersIn } from '../answers.ts';
import { defineCheck } from '../define-check.ts';

const OK = 200;

export const oneAccepted = defineCheck(
  'step',
  'one-accepted',
  'of several variants of a request, at least one is answered with 200',
  ({ asked }) => {
    const answers = answersIn(asked);
    if (answers.length === 0) return inapplicable('nothing was answered');
    if (answers.some(({ response }) => response.status === OK)) return passed;
    const statuses = [...new Set(answers.map(({ response }) => response.status))];
    return failed({
      message: 'every variant of the request is refused',
      expected: 'status 200 for at least one of them',
      received: `status ${statuses.join(', status ')}`,
      ...(answers[0] === undefined ? {} : { exchangeKey: answers[0].request.key }),
    });
  },
);
