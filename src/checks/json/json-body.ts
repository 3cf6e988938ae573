import { decodeJson, type JsonBody } from '../../json/decode-json.ts';
import { withDigits } from '../../json/exact-json.ts';
import type { Json } from '../../json/json.ts';
import type { SelectedNode } from '../../json/selector.ts';
import type { Answer, Bytes, TransportFailure } from '../../model/exchange.ts';
import { bufferFrom } from '../../model/sent.ts';
import { answeringBody, answeringMessage, isMessage } from '../../wires/mcp/answer.ts';
import { TRANSPORT_ADVICE } from '../transport-advice.ts';
import { valueAt } from './local-reference.ts';

/** By the body, because repeated reads of the same large body share it; by the answer for messages. */
const decoded = new WeakMap<Bytes | Answer, JsonBody>();

/**
 * Decodes what an answer says, strictly: UTF-8 without BOM, one JSON value, no duplicate keys (RFC 8259). Of the Model
 * Context Protocol it is the message that answers the request, whichever way it came; of the REST contract, the body.
 */
export function jsonBody(answer: Answer): JsonBody {
  if (answer.kind === 'heard' || isMessage(answer)) {
    const known = decoded.get(answer) ?? answeringBody(answer);
    decoded.set(answer, known);
    return known;
  }
  const { body, bodyProblem } = answer.response;
  if (bodyProblem !== undefined) return unread(bodyProblem);
  const known = decoded.get(body) ?? decodeJson(bufferFrom(body));
  decoded.set(body, known);
  return known;
}

/** The value of an answer with the digits of its numbers, for what is sent again. */
export function exactBody(answer: Answer): Json | undefined {
  const { value } = jsonBody(answer);
  if (value === undefined) return undefined;
  const known = exactValues.get(answer);
  if (known !== undefined) return known;
  const exact = withDigits(value, textOf(answer).replace(/^\uFEFF/, ''));
  exactValues.set(answer, exact);
  return exact;
}

const exactValues = new WeakMap<Answer, Json>();

/** The text that the value was read from. */
function textOf(answer: Answer): string {
  const message = answer.kind === 'heard' || isMessage(answer) ? answeringMessage(answer) : undefined;
  if (message !== undefined) return Buffer.from(message.bytes).toString();
  if (answer.kind === 'heard') return '';
  const { body } = answer.response;
  return 'text' in body ? body.text : bufferFrom(body).toString();
}

/** What a selector found in the value, with the digits of its numbers: a selector compares doubles. */
export function exactNodes(exchange: Answer, nodes: readonly SelectedNode[]): readonly SelectedNode[] {
  const exact = exactBody(exchange);
  if (exact === undefined || exact === jsonBody(exchange).value) return nodes;
  return nodes.map(({ pointer, value }) => ({ pointer, value: valueAt(exact, pointer) ?? value }));
}

/** A body that could not be decoded, such as one in a coding that was not requested. */
function unread({ code, fault, message }: TransportFailure): JsonBody {
  const received = `a body that cannot be read: ${code}`;
  const problem = { serversFault: fault === 'server', message, received, advice: TRANSPORT_ADVICE[code] };
  return { value: undefined, problem, numbers: [] };
}
