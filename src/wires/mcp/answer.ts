import type { JsonBody } from '../../json/decode-json.ts';
import { isJsonObject, type Json, ownItems, ownProperty, shorten, showJson } from '../../json/json.ts';
import type { Answer, Exchange } from '../../model/exchange.ts';
import { bufferFrom } from '../../model/sent.ts';
import { answersTo, messagesInBody, messagesInLine, type ReadMessage } from './messages.ts';

/** Whether an exchange is one of the protocol, over whichever channel, and not of the REST contract. */
export function isMessage({ request }: Pick<Exchange, 'request'>): boolean {
  return request.message !== undefined;
}

/** By the answer, because several checks read each. */
const read = new WeakMap<Answer, readonly ReadMessage[]>();

/** Everything that came for a request, in its order. */
export function messagesOf(answer: Answer): readonly ReadMessage[] {
  const known = read.get(answer);
  if (known !== undefined) return known;
  const messages =
    answer.kind === 'heard'
      ? answer.heard.flatMap(({ bytes }) => messagesInLine(bufferFrom(bytes)))
      : messagesInBody(answer.response.headers, bufferFrom(answer.response.body));
  read.set(answer, messages);
  return messages;
}

/** The message that answers the request; undefined if none does. */
export function answeringMessage(answer: Answer): ReadMessage | undefined {
  const awaited = answer.request.message?.awaited ?? null;
  const messages = messagesOf(answer);
  if (awaited === null) return undefined;
  const own =
    messages.find(({ message }) => answersTo(awaited, message)) ??
    // What the harness cannot read, because it is too large, may be the answer.
    messages.find(({ problem }) => problem?.serversFault === false);
  if (own !== undefined || answer.kind === 'heard') return own;
  // A server that refuses a request of HTTP before it reads the message does not know its id.
  return messages.find(({ message }) => message.kind === 'error' && (message.id ?? null) === null);
}

/** The message that answers the request, as the JSON that assertions select from. */
export function answeringBody(answer: Answer): JsonBody {
  const { value, problem = null } = answeringMessage(answer) ?? {};
  return value === undefined
    ? { value, problem: problem ?? noMessage(answer), numbers: [] }
    : { value, problem, numbers: [] };
}

function noMessage(answer: Answer): NonNullable<JsonBody['problem']> {
  const [first] = messagesOf(answer);
  const status = answer.kind === 'answered' ? `HTTP status ${answer.response.status}` : 'no message';
  return {
    serversFault: true,
    message: 'no message answers the request',
    received: first === undefined ? status : shorten(Buffer.from(first.bytes).toString()),
  };
}

/** What an answer to a call of a tool means. */
export type ToolOutcome =
  | { readonly kind: 'result'; readonly value: Json }
  /** By the tool (`isError`) or by the protocol (an error). */
  | {
      readonly kind: 'refused';
      readonly by: 'tool' | 'protocol';
      readonly code: Json | undefined;
      readonly text: string;
    }
  /**
   * The tool asks for a person's input first (revision 2026-07-28, multi round-trip requests), or needs capabilities of
   * the client for that.
   */
  | { readonly kind: 'wants-input'; readonly capabilities: readonly string[] }
  | { readonly kind: 'unreadable'; readonly problem: string };

export function toolOutcome(answer: Answer): ToolOutcome {
  const message = answeringMessage(answer)?.message;
  if (message === undefined) return { kind: 'unreadable', problem: 'no message answers the request' };
  if (message.kind === 'error' && message.code === MISSING_CAPABILITY) {
    const required = ownProperty(message.data, 'requiredCapabilities');
    return { kind: 'wants-input', capabilities: isJsonObject(required) ? Object.keys(required) : [] };
  }
  // The tool waits for what a person does at an address (URLElicitationRequiredError of revision 2025-11-25).
  if (message.kind === 'error' && message.code === URL_REQUIRED)
    return { kind: 'wants-input', capabilities: [] };
  if (message.kind === 'error')
    return {
      kind: 'refused',
      by: 'protocol',
      code: message.code,
      text: typeof message.message === 'string' ? message.message : '',
    };
  if (message.kind !== 'result')
    return { kind: 'unreadable', problem: 'problem' in message ? message.problem : 'it is no answer' };
  const { result } = message;
  if (!isJsonObject(result))
    return { kind: 'unreadable', problem: `its result is ${showJson(result)}, and not an object` };
  if (ownProperty(result, 'resultType') === 'input_required')
    return { kind: 'wants-input', capabilities: [] };
  if (ownProperty(result, 'isError') === true)
    return { kind: 'refused', by: 'tool', code: undefined, text: textsIn(result).join('\n') };
  return { kind: 'result', value: returnedIn({ result }) ?? null };
}

/** MissingRequiredClientCapabilityError of revision 2026-07-28. */
export const MISSING_CAPABILITY = -32_021;
const URL_REQUIRED = -32_042;

/** What the answer of a tool returns: its structured content if it gives some, otherwise its content. */
export function returnedIn(message: Json | undefined): Json | undefined {
  const result = ownProperty(message, 'result');
  if (!isJsonObject(result)) return undefined;
  return result.structuredContent ?? { content: result.content ?? null };
}

/** The texts of a result's content. */
export function textsIn(result: Json): readonly string[] {
  return ownItems(result, 'content')
    .map((item) => ownProperty(item, 'text'))
    .filter((text) => typeof text === 'string');
}
