import { isAnswer } from '../../model/exchange.ts';
import { ownProperty } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { isMessage, toolOutcome } from '../../wires/mcp/answer.ts';
import { describeAnswer } from '../answers.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { firstOfEachTool, methodOf, toolsIn } from './received.ts';

/** JSON-RPC: the parameters of a method are invalid. */
const INVALID_PARAMS = -32602;

export const errorsInResults = defineCheck(
  'step',
  'errors-in-results',
  'a tool that fails reports it in its result, with isError, and not as an error of the protocol',
  ({ asked }) => {
    // Of a tool that the server does not have, an error of the protocol is right.
    const names = new Set(toolsIn(asked).map(({ tool }) => ownProperty(tool, 'name')));
    const calls = asked.flatMap(({ exchange, call }) =>
      call !== null && names.has(call.functionName) && isAnswer(exchange) && isMessage(exchange)
        ? [{ tool: call.functionName, exchange }]
        : [],
    );
    const listed = calls.filter(({ exchange }) => methodOf(exchange) === 'tools/call');
    if (listed.length === 0) return inapplicable('no tool was called');
    const wrong = listed.filter(({ exchange }) => {
      const outcome = toolOutcome(exchange);
      return outcome.kind === 'refused' && outcome.by === 'protocol' && outcome.code !== INVALID_PARAMS;
    });
    return judgeEach(firstOfEachTool(wrong), ({ tool, exchange }) =>
      failed({
        message: `the tool "${tool}" fails with an error of the protocol`,
        expected: 'a result with isError: true and a text that says what went wrong',
        received: describeAnswer(exchange),
        pointer: '/error',
        exchangeKey: exchange.request.key,
      }),
    );
  },
);
