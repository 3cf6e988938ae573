import { bufferFrom } from '../../model/bytes.ts';
import { decodeJson, type JsonBody } from '../../model/decode-json.ts';
import { withDigits } from '../../model/exact-json.ts';
import type { AnsweredExchange, Bytes, TransportFailure } from '../../model/exchange.ts';
import type { Json } from '../../model/json.ts';
import type { SelectedNode } from '../../model/selector.ts';
import { TRANSPORT_ADVICE } from '../transport-advice.ts';
import { valueAt } from './local-reference.ts';

/** By the body, because repeated reads of the same large body share it. */
const decoded = new WeakMap<Bytes, JsonBody>();

/** Decodes an answer's body strictly: UTF-8 without BOM, one JSON value, no duplicate keys (RFC 8259). */
export function jsonBody(exchange: AnsweredExchange): JsonBody {
  const { body, bodyProblem } = exchange.response;
  if (bodyProblem !== undefined) return unread(bodyProblem);
  const known = decoded.get(body) ?? decodeJson(bufferFrom(body));
  decoded.set(body, known);
  return known;
}

/** The value of an answer with the digits of its numbers, for what is sent again. */
export function exactBody(exchange: AnsweredExchange): Json | undefined {
  const { value } = jsonBody(exchange);
  const { body } = exchange.response;
  if (value === undefined) return undefined;
  const known = exactValues.get(body);
  if (known !== undefined) return known;
  const text = 'text' in body ? body.text : bufferFrom(body).toString();
  const exact = withDigits(value, text.replace(/^\uFEFF/, ''));
  exactValues.set(body, exact);
  return exact;
}

const exactValues = new WeakMap<Bytes, Json>();

/** What a selector found in the value, with the digits of its numbers: a selector compares doubles. */
export function exactNodes(
  exchange: AnsweredExchange,
  nodes: readonly SelectedNode[],
): readonly SelectedNode[] {
  const exact = exactBody(exchange);
  if (exact === undefined || exact === jsonBody(exchange).value) return nodes;
  return nodes.map(({ pointer, value }) => ({ pointer, value: valueAt(exact, pointer) ?? value }));
}

/** A body that could not be decoded, such as one in a coding that was not requested. */
function unread({ code, fault, message }: TransportFailure): JsonBody {
  const advice = TRANSPORT_ADVICE[code];
  const problem = {
    serversFault: fault === 'server',
    message,
    received: `a body that cannot be read: ${code}`,
    ...(advice === undefined ? {} : { advice }),
  };
  return { value: undefined, problem, numbers: [] };
}
