import { parseExactly, stringifyExactly } from '../json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { type EndpointAnswer, jsonAnswer } from '../reference/endpoints.ts';
import type { SubjectError, SubjectFault } from './subject.ts';

const STATUS_OF = {
  unavailable: [503, 'SERVER_UNAVAILABLE', 'The server is not running'],
  ended: [502, 'SERVER_ENDED', 'The server ended before it answered'],
  timeout: [504, 'TIMEOUT', 'The server did not answer in time'],
  refused: [502, 'PROTOCOL_ERROR', 'The server answered with an error of the protocol'],
  invalid: [502, 'INVALID_ANSWER', 'The answer of the server breaks the protocol'],
  'too-large': [502, 'ANSWER_TOO_LARGE', 'The answer of the server is more than a bridge reads'],
  unsendable: [400, 'INVALID_REQUEST', 'The input cannot be sent to the server'],
  abandoned: [499, 'ABANDONED', 'The caller did not wait for the answer'],
} as const satisfies Record<SubjectFault, readonly [status: number, code: string, words: string]>;

/** JSON-RPC: the parameters of a method are invalid. */
const INVALID_PARAMS = -32602;

export function errorAnswerTo(error: SubjectError, requestId: string | undefined): EndpointAnswer {
  const { code, message } = error;
  return code === INVALID_PARAMS
    ? failure(400, 'INVALID_INPUT', message, requestId, { code })
    : faultAnswer(error, requestId);
}

export function faultWords({ fault, message }: SubjectError): string {
  return `${STATUS_OF[fault][2]}: ${message}`;
}

export function faultAnswer(error: SubjectError, requestId: string | undefined): EndpointAnswer {
  const { fault, code: rpcCode } = error;
  const [status, code] = STATUS_OF[fault];
  const details = rpcCode === null ? undefined : { code: rpcCode };
  const answer = failure(status, code, `${faultWords(error)}.`, requestId, details);
  return fault === 'unavailable' ? { ...answer, headers: { ...answer.headers, 'retry-after': '1' } } : answer;
}

export function failure(
  status: number,
  code: string,
  message: string,
  requestId: string | undefined,
  details?: JsonObject,
): EndpointAnswer {
  return exactAnswer(status, {
    error: { code, message, ...(details === undefined ? {} : { details }) },
    requestId,
  });
}

/** An answer with the digits of the numbers that the server sent. */
export function exactAnswer(status: number, value: Parameters<typeof jsonAnswer>[1]): EndpointAnswer {
  return { ...jsonAnswer(status, {}), body: stringifyExactly(value) };
}

export function redactedText(text: string, redact: (text: string) => string): string {
  return redact(text) === text ? text : stringifyExactly(redactedJson(parseExactly(text), redact));
}

/** A secret may be a number, which would leave no JSON if it were replaced in the text. */
function redactedJson(value: Json, redact: (text: string) => string): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => redactedJson(item, redact));
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [redact(name), redactedJson(inner, redact)]),
    );
  if (value === null) return value;
  const shown = redact(String(value));
  return shown === String(value) ? value : shown;
}
