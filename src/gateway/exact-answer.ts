import { stringifyExactly } from '../json/exact-json.ts';
import { type EndpointAnswer, jsonAnswer } from '../reference/endpoints.ts';

/** An answer with the digits of the numbers that the server sent. */
export function exactAnswer(status: number, value: Parameters<typeof jsonAnswer>[1]): EndpointAnswer {
  return { ...jsonAnswer(status, {}), body: stringifyExactly(value) };
}
