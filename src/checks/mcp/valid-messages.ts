import { isJsonObject, type Json, ownProperty, showJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { listIn } from './relayed.ts';

export const validMessages = defineCheck(
  'json',
  'valid-messages',
  'every message of the server is a message of JSON-RPC 2.0',
  ({ value }) => {
    const messages = [...listIn(value, 'answers'), ...listIn(value, 'others')];
    if (messages.length === 0) return inapplicable('the server sent no message');
    return judgeEach(messages, ({ value: message, pointer }) => {
      const problem = problemOf(message);
      return problem === null
        ? passed
        : failed({
            message: `a message of the server is not valid: ${problem}`,
            expected:
              'jsonrpc "2.0" and a method, a result that is an object, or an error with code and message',
            received: showJson(message),
            pointer,
          });
    });
  },
);

function problemOf(message: Json): string | null {
  if (!isJsonObject(message)) return 'it is not an object';
  const { jsonrpc, method, id, params, result, error } = message;
  if (jsonrpc !== '2.0') return 'jsonrpc is not "2.0"';
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number')
    return 'its id is neither a string nor a number';
  if (method !== undefined) {
    if (typeof method !== 'string') return 'its method is not a string';
    return params === undefined || isJsonObject(params) ? null : 'its params are not an object';
  }
  if (result !== undefined && error !== undefined) return 'it has a result and an error';
  if (result === undefined && error === undefined) return 'it has neither a method, a result nor an error';
  if (result !== undefined) return isJsonObject(result) ? null : 'its result is not an object';
  const code = ownProperty(error, 'code');
  if (!Number.isInteger(code)) return 'the code of its error is not an integer';
  return typeof ownProperty(error, 'message') === 'string'
    ? null
    : 'the message of its error is not a string';
}
