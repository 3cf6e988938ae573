import { inapplicable } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { judgeRequestId } from '../errors/echoed-request-id.ts';

export const requestIdEchoed = defineCheck(
  'json',
  'request-id-echoed',
  'form B: requestId is returned exactly as it was sent',
  ({ value, call }) =>
    call === null || call.requestId === null
      ? inapplicable('the call carried no requestId')
      : judgeRequestId(value, call.requestId),
);
