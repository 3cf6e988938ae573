import { ownProperty, showJson } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { firstOfEachTool, listIn } from './relayed.ts';

/** JSON-RPC: the parameters of a method are invalid. */
const INVALID_PARAMS = -32602;

export const errorsInResults = defineCheck(
  'json',
  'errors-in-results',
  'a tool that fails reports it in its result, with isError, and not as an error of the protocol',
  ({ value }) => {
    const calls = listIn(value, 'calls').flatMap(({ value: call, pointer }) => {
      const tool = ownProperty(call, 'tool');
      return typeof tool === 'string' ? [{ tool, call, pointer }] : [];
    });
    if (calls.length === 0) return inapplicable('no tool was called');
    const wrong = calls.filter(
      ({ call }) => ownProperty(call, 'fault') === 'refused' && ownProperty(call, 'code') !== INVALID_PARAMS,
    );
    return judgeEach(firstOfEachTool(wrong), ({ tool, call, pointer }) =>
      failed({
        message: `the tool "${tool}" fails with an error of the protocol`,
        expected: 'a result with isError: true and a text that says what went wrong',
        received: `the error ${showJson(ownProperty(call, 'code'))}: ${showJson(ownProperty(call, 'message'))}`,
        pointer,
      }),
    );
  },
);
