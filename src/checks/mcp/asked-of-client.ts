import {
  isJsonObject,
  type Json,
  type JsonObject,
  ownItems,
  ownProperty,
  showJson,
} from '../../json/json.ts';
import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { sentJson } from '../../model/sent.ts';
import type { Conversation } from '../../model/wire.ts';
import { CAPABILITY_OF } from '../../wires/mcp/client-answers.ts';
import { resultOf } from '../../wires/mcp/lists.ts';
import type { Asked } from '../define-check.ts';
import { conversationOf, methodOf, receivedIn } from './received.ts';

// What servers ask of a client: with requests of their own in a session, and since revision 2026-07-28 with results that
// ask for input before they answer.

/** One request for a form, an address, a model, or the roots. */
export interface AskedOfClient {
  readonly method: string;
  readonly params: Json | undefined;
  /** As it was sent. */
  readonly request: Json;
  /** Where it is in its message. */
  readonly pointer: string;
  readonly exchangeKey: string | undefined;
  /** What the client had declared; null if that is not known. */
  readonly declared: JsonObject | null;
}

/** What a check of a whole run sees. */
export interface Seen {
  readonly asked: readonly Asked[];
  readonly exchanges: readonly Exchange[];
  readonly conversations: readonly Conversation[];
}

export function askedOfClient({ asked, exchanges, conversations }: Seen): readonly AskedOfClient[] {
  const inSessions = receivedIn(asked, conversations).flatMap(
    ({ read, exchange, conversation }): readonly AskedOfClient[] => {
      const { message } = read;
      if (message.kind !== 'request' || !Object.hasOwn(CAPABILITY_OF, message.method)) return [];
      const { method, params } = message;
      const request = read.value ?? null;
      const declared = declaredIn(conversation, exchanges);
      const exchangeKey = exchange?.request.key ?? keyOfWaiting(method, conversation, exchanges);
      return [{ method, params, request, pointer: read.pointer, exchangeKey, declared }];
    },
  );
  const inResults = asked.flatMap(({ exchange }): readonly AskedOfClient[] => {
    const result = isAnswer(exchange) ? resultOf(exchange) : undefined;
    const requests = ownProperty(result, 'inputRequests');
    if (ownProperty(result, 'resultType') !== 'input_required' || !isJsonObject(requests)) return [];
    return Object.entries(requests).map(([name, request]) => ({
      method: String(ownProperty(request, 'method')),
      params: ownProperty(request, 'params'),
      request,
      pointer: `/result/inputRequests/${name}`,
      exchangeKey: exchange.request.key,
      declared: declaredWith(exchange),
    }));
  });
  return [...inSessions, ...inResults];
}

/** Of a request that waited while the server asked: what a process writes belongs to none for certain. */
function keyOfWaiting(
  method: string,
  conversation: string,
  exchanges: Seen['exchanges'],
): string | undefined {
  const waited = exchanges.find(
    (one) => conversationOf(one) === conversation && one.replies?.some((reply) => reply.method === method),
  );
  return waited?.request.key;
}

/** What a request of the stateless era declares. */
export function declaredWith({ request }: Exchange): JsonObject | null {
  const meta = ownProperty(ownProperty(sentJson(request), 'params'), '_meta');
  const declared = ownProperty(meta, 'io.modelcontextprotocol/clientCapabilities');
  return isJsonObject(declared) ? declared : null;
}

/** What the client declared when it opened the session; of one that was opened again, nothing is recorded. */
export function declaredIn(conversation: string, exchanges: Seen['exchanges']): JsonObject | null {
  const opening = exchanges.findLast(
    (one) => conversationOf(one) === conversation && methodOf(one) === 'initialize',
  );
  const declared = opening && ownProperty(ownProperty(sentJson(opening.request), 'params'), 'capabilities');
  return isJsonObject(declared) ? declared : null;
}

/** A form, also if its mode is left out. */
export function isForm({ method, params }: AskedOfClient): boolean {
  return method === 'elicitation/create' && (ownProperty(params, 'mode') ?? 'form') !== 'url';
}

/** What a request needs the client to have declared, and it had not; null if nothing is missing, or it is not known. */
export function undeclaredIn({ method, params, declared }: AskedOfClient): string | null {
  if (declared === null) return null;
  const capability = CAPABILITY_OF[method];
  if (capability === undefined) return null;
  const own = ownProperty(declared, capability);
  if (own === undefined) return capability;
  if (method === 'sampling/createMessage') {
    const hasTools = ['tools', 'toolChoice'].some((name) => ownProperty(params, name) !== undefined);
    return hasTools && ownProperty(own, 'tools') === undefined ? 'sampling.tools' : null;
  }
  if (method !== 'elicitation/create') return null;
  // Without any mode, forms are meant.
  const modes = isJsonObject(own) ? Object.keys(own) : [];
  const mode = String(ownProperty(params, 'mode') ?? 'form');
  const isDeclared = modes.includes(mode) || (mode === 'form' && modes.length === 0);
  return isDeclared ? null : `elicitation.${mode}`;
}

/** The fields of a form by name. */
export function fieldsOf({ params }: AskedOfClient): readonly (readonly [name: string, field: Json])[] {
  const properties = ownProperty(ownProperty(params, 'requestedSchema'), 'properties');
  return isJsonObject(properties) ? Object.entries(properties) : [];
}

/** The addresses that a person is sent to; also those of an error that demands it (revision 2025-11-25). */
export function addressesIn(seen: Seen): readonly AskedOfClient[] {
  const asked = askedOfClient(seen).filter((one) => one.method === 'elicitation/create' && !isForm(one));
  const demanded = receivedIn(seen.asked, seen.conversations).flatMap(({ read, exchange }) => {
    const { message } = read;
    if (message.kind !== 'error' || message.code !== URL_REQUIRED) return [];
    return ownItems(message.data, 'elicitations').map((params, index) => ({
      method: 'elicitation/create',
      params,
      request: params,
      pointer: `/error/data/elicitations/${index}`,
      exchangeKey: exchange?.request.key,
      declared: null,
    }));
  });
  return [...asked, ...demanded];
}

const URL_REQUIRED = -32_042;

/** For a finding. */
export function shownRequest({ request }: AskedOfClient): string {
  return showJson(request);
}
