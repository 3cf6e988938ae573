import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isJsonObject } from '../json/json.ts';

/** Takes the place of an answer that breaks JSON-RPC, so that its caller does not wait for another one. */
export const INVALID_MESSAGE = -1;

/** Takes the place of an answer that is longer than what is read. */
export const TOO_LONG_MESSAGE = -2;

/** The message as it is, or an error for the request that it seems to answer. */
export function readable(message: object): JSONRPCMessage {
  const { id, method, result, error } = message as Readonly<Record<string, unknown>>;
  const isAnswer = method === undefined && (typeof id === 'number' || typeof id === 'string');
  if (!isAnswer || isJsonObject(result) !== isError(error)) return message as JSONRPCMessage;
  const problem =
    result !== undefined && error !== undefined
      ? 'it has both a result and an error'
      : 'it has neither an object as result nor an error with a code and a message';
  return {
    jsonrpc: '2.0',
    id,
    error: { code: INVALID_MESSAGE, message: `the answer is no JSON-RPC: ${problem}` },
  };
}

function isError(value: unknown): boolean {
  return isJsonObject(value) && Number.isInteger(value.code) && typeof value.message === 'string';
}
