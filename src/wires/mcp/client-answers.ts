import {
  isJsonObject,
  type Json,
  type JsonObject,
  ownItems,
  ownProperty,
  sameJson,
} from '../../json/json.ts';
import type { ClientAnswers } from '../../model/call.ts';
import type { Exchange } from '../../model/exchange.ts';
import { sentJson } from '../../model/sent.ts';
import { METHOD_NOT_FOUND } from './opening.ts';

// A client that answers, pure. Servers ask only for what a client declares, so that a check declares all that it can
// answer: a tool that needs a person's input can then be called, and what it asks is judged. Nothing is given that the
// user did not configure: a form is declined, a request for a model is refused, and the list of roots is empty.

/** What the client of a check declares; `sampling.tools` and `sampling.context` are not among it. */
export const ANSWERING: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** What the requests of servers need the client to declare, by method. */
export const CAPABILITY_OF: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** More requests are refused: a server may ask for ever. */
export const MAX_REPLIES = 100;

export interface ClientAnswer {
  readonly said:
    | { readonly result: JsonObject }
    | { readonly error: { readonly code: number; readonly message: string } };
  /** Whether the server got what it asked for. */
  readonly isGranted: boolean;
}

interface ServerRequest {
  readonly method: string;
  readonly params: Json | undefined;
}

/** What the client answers; null for answers: it declared no capabilities, and answers ping alone. */
export function answerTo({ method, params }: ServerRequest, answers: ClientAnswers | null): ClientAnswer {
  if (method === 'ping') return granted({});
  const wasDeclared = answers !== null && Object.hasOwn(CAPABILITY_OF, method);
  if (!wasDeclared) {
    const declared =
      answers === null ? 'this client declared no capabilities' : 'this client does not offer it';
    return refused(METHOD_NOT_FOUND, `method not found: ${method} (${declared})`);
  }
  switch (method) {
    case 'elicitation/create':
      return elicited(params, answers);
    case 'sampling/createMessage':
      return answers.sampling === undefined
        ? refused(REJECTED, 'the user rejected the request for a model')
        : granted({
            role: 'assistant',
            content: { type: 'text', text: answers.sampling },
            model: 'probity',
            stopReason: 'endTurn',
          });
    default:
      return {
        ...granted({ roots: (answers.roots ?? []).map((uri) => ({ uri })) }),
        isGranted: answers.roots !== undefined,
      };
  }
}

/** A call is sent again with answers this many times. */
export const MAX_ROUNDS = 5;

/**
 * The parameters of a request whose server asked for input before it answers, with the answers (revision 2026-07-28,
 * multi round-trip requests); null if it asked for nothing, or for what cannot be answered: a refusal has no form there.
 */
export function answeredParams(message: JsonObject, result: Json, answers: ClientAnswers): JsonObject | null {
  if (ownProperty(result, 'resultType') !== 'input_required' || !MAY_ASK.has(message.method)) return null;
  const requests = ownProperty(result, 'inputRequests') ?? {};
  const state = ownProperty(result, 'requestState');
  if (!isJsonObject(requests)) return null;
  const responses: Record<string, Json> = {};
  for (const [name, request] of Object.entries(requests)) {
    const method = ownProperty(request, 'method');
    if (typeof method !== 'string' || !Object.hasOwn(CAPABILITY_OF, method)) return null;
    const { said } = answerTo({ method, params: ownProperty(request, 'params') }, answers);
    if ('error' in said) return null;
    responses[name] = said.result;
  }
  const given = Object.keys(responses).length === 0 ? {} : { inputResponses: responses };
  if (typeof state !== 'string' && Object.keys(given).length === 0) return null;
  const params = isJsonObject(message.params) ? message.params : {};
  return { ...params, ...given, ...(state === undefined ? {} : { requestState: state }) };
}

/** The requests whose answers may ask for input (revision 2026-07-28). */
export const MAY_ASK: ReadonlySet<unknown> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** What the server asked for and did not get, while the request waited or before it was sent again; methods. */
export function notGranted({ request, replies = [] }: Exchange): readonly string[] {
  const responses = ownProperty(ownProperty(sentJson(request), 'params'), 'inputResponses');
  const inRounds = Object.values(isJsonObject(responses) ? responses : {}).flatMap((one) => {
    if (ownProperty(one, 'action') === 'decline') return ['elicitation/create'];
    return Array.isArray(ownProperty(one, 'roots')) && ownItems(one, 'roots').length === 0
      ? ['roots/list']
      : [];
  });
  return [...replies.flatMap(({ method, isGranted }) => (isGranted ? [] : [method])), ...inRounds];
}

/** Whether the server asked the client for something before it answered the request. */
export function askedClient({ request, replies = [] }: Exchange): boolean {
  return (
    replies.length > 0 ||
    ownProperty(ownProperty(sentJson(request), 'params'), 'inputResponses') !== undefined
  );
}

/** After too many requests during one call. */
export const TOO_MANY: ClientAnswer = refused(
  -1,
  `this client answers ${MAX_REPLIES} requests during a call, and no more`,
);

/** Of a sampling request that a user rejected (client features, sampling, error handling). */
const REJECTED = -1;

function granted(result: JsonObject): ClientAnswer {
  return { said: { result }, isGranted: true };
}

function refused(code: number, message: string): ClientAnswer {
  return { said: { error: { code, message } }, isGranted: false };
}

const DECLINED: ClientAnswer = { said: { result: { action: 'decline' } }, isGranted: false };

/** Nothing opens an address: nobody sees what it shows. */
function elicited(params: Json | undefined, { elicitation = {} }: ClientAnswers): ClientAnswer {
  if ((ownProperty(params, 'mode') ?? 'form') !== 'form') return DECLINED;
  const schema = ownProperty(params, 'requestedSchema');
  const fields = ownProperty(schema, 'properties');
  if (!isJsonObject(fields)) return DECLINED;
  const content = Object.fromEntries(
    Object.entries(elicitation).filter(([name]) => Object.hasOwn(fields, name)),
  );
  const isComplete = ownItems(schema, 'required').every((name) => Object.hasOwn(content, String(name)));
  const isFitting = Object.entries(content).every(([name, value]) => fits(value, fields[name]));
  if (Object.keys(content).length === 0 || !isComplete || !isFitting) return DECLINED;
  return granted({ action: 'accept', content });
}

/** Whether a field takes the value, as far as a form shows it to a person; the rest is for the server to validate. */
function fits(value: Json, field: Json | undefined): boolean {
  const choices = choicesOf(field);
  const isChoice = (one: Json): boolean =>
    choices === null || choices.some((choice) => sameJson(choice, one));
  switch (ownProperty(field, 'type')) {
    case 'string':
      return typeof value === 'string' && isChoice(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'array': {
      const items = choicesOf(ownProperty(field, 'items'));
      return Array.isArray(value) && value.every((one) => items === null || items.includes(one));
    }
    default:
      return isChoice(value);
  }
}

/** The values of a choice, with titles or without; null for other fields. */
function choicesOf(field: Json | undefined): readonly Json[] | null {
  if (Array.isArray(ownProperty(field, 'enum'))) return ownItems(field, 'enum');
  const titled = ['oneOf', 'anyOf'].flatMap((name) => ownItems(field, name));
  return titled.length === 0 ? null : titled.map((one) => ownProperty(one, 'const') ?? null);
}
