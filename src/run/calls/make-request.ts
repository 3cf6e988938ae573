import { isJsonObject, type JsonObject } from '../../json/json.ts';
import type { MessageToSend, PlannedMessage, PlannedOpening } from '../../model/probe.ts';
import { type RunSettings, targetKindOf } from '../../model/report.ts';
import type { RequestTemplate, Sending } from '../../model/request-template.ts';
import { MAIN_CONVERSATION, type Opened } from '../../model/wire.ts';
import { LISTS } from '../../wires/mcp/lists.ts';
import { type HttpRequest, pathRequest, plainRead, rawBody } from './http-request.ts';
import { expandJson, expandToText, type Scope } from './template.ts';

/** A request as it will be sent, without the target's address and the common headers. */
export type InstanceRequest = HttpRequest | MessageRequest | OpeningRequest;

export interface MessageRequest
  extends Pick<PlannedMessage, 'conversation' | 'sends' | 'headers' | 'anonymous' | 'token'> {
  readonly timeoutMs: number | null;
}

export interface OpeningRequest extends Pick<PlannedOpening, 'conversation' | 'version' | 'isBare'> {
  readonly timeoutMs: number | null;
}

type UncalledTemplate = Exclude<RequestTemplate, { readonly kind: 'execute' }>;

/** The request of a template, or the reason why there is none. Pure. */
export function requestOf(
  template: UncalledTemplate,
  scope: Scope,
  settings: RunSettings,
  opened: Opened | null,
): InstanceRequest | string {
  const unsent = unsendable(template, settings);
  if (unsent !== null) return unsent;
  switch (template.kind) {
    case 'list':
      return settings.mcp === undefined
        ? plainRead(template, '/capabilities', scope)
        : messageRequest(template, { method: LISTS[template.of].method, params: {} }, scope);
    case 'alive':
      return settings.mcp === undefined
        ? plainRead(template, '/health', scope)
        : messageRequest(template, aliveMessage(opened), scope);
    case 'open': {
      const { conversation, version, isBare, timeoutMs } = template;
      return { conversation, version, isBare, timeoutMs };
    }
    case 'message': {
      const message = expandJson(template.message, scope);
      return isJsonObject(message)
        ? messageRequest(template, message, scope, template.conversation, template.until ?? undefined)
        : 'its message is not an object';
    }
    case 'raw': {
      const body = rawBody(template.parts, scope);
      return sent(template, template.conversation, { kind: 'raw', body }, scope);
    }
    case 'http':
      return settings.mcp?.channel === 'stdio'
        ? 'the server does not speak over HTTP'
        : sent(template, template.conversation, { kind: 'http', method: template.method }, scope);
    case 'close':
      return sent(template, template.conversation, { kind: 'close' }, scope);
    default:
      return pathRequest(template, scope, settings.seed);
  }
}

/** What shows that a server of the Model Context Protocol still answers. */
export function aliveMessage(opened: Opened | null): JsonObject {
  return { method: opened?.era === 'stateless' ? 'server/discover' : 'ping', params: {} };
}

function messageRequest(
  template: Sending,
  message: JsonObject,
  scope: Scope,
  conversation = MAIN_CONVERSATION,
  until?: string,
): MessageRequest {
  return sent(template, conversation, { kind: 'message', message, until }, scope);
}

function sent(
  { headers, anonymous, token, timeoutMs }: Sending,
  conversation: string,
  sends: MessageToSend,
  scope: Scope,
): MessageRequest {
  const own = Object.entries(headers).map(([name, value]): [string, string | null] => [
    name,
    value === null ? null : expandToText(value, scope),
  ]);
  return { conversation, sends, headers: own, anonymous, token, timeoutMs };
}

/** A call of a tool; `input` is null for a call that carries none. */
export function toolCall(
  template: Sending,
  name: string,
  input: JsonObject | null,
  scope: Scope,
): MessageRequest {
  const params = { name, ...(input === null ? {} : { arguments: input }) };
  return messageRequest(template, { method: 'tools/call', params }, scope);
}

/** Why a template sends nothing in this run, or null. */
export function unsendable(template: RequestTemplate, settings: RunSettings): string | null {
  const isOfMcp = template.kind === 'list' ? template.of !== 'functions' : SENDS_MESSAGES.has(template.kind);
  if (settings.mcp === undefined && isOfMcp) return 'only for servers of the Model Context Protocol';
  // Every operation of a directory needs a key, so requests without one are sent even if the user gave none.
  if (template.anonymous && settings.headerNames.length === 0 && targetKindOf(settings) !== 'directory')
    return 'no key was given: every request is anonymous';
  if (template.scheme !== null && !settings.headerNames.includes('authorization'))
    return 'no bearer token was given that could be sent under another scheme';
  if (template.token !== null && !settings.headerNames.includes('authorization'))
    return 'no token was given, which another one could replace';
  if (template.kind === 'websocket' && !settings.transports.includes('websocket'))
    return 'no listing says that the target speaks WebSocket';
  return null;
}

const SENDS_MESSAGES: ReadonlySet<RequestTemplate['kind']> = new Set([
  'open',
  'message',
  'raw',
  'http',
  'close',
]);
