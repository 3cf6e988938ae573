import { stringifyExactly } from '../../json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts';
import type { Header } from '../../model/exchange.ts';
import type {
  BodyPart,
  MessageToSend,
  PlannedMessage,
  PlannedOpening,
  RequestBody,
} from '../../model/probe.ts';
import { type RunSettings, targetKindOf } from '../../model/report.ts';
import type {
  BodyTemplate,
  QueryTemplate,
  RawPart,
  RequestTemplate,
  Sending,
} from '../../model/request-template.ts';
import { wholeBody } from '../../model/sent.ts';
import { MAIN_CONVERSATION, type Opened } from '../../model/wire.ts';
import { expandJson, expandText, expandToText, type Scope } from './template.ts';

/** A request as it will be sent, without the target's address and the common headers. */
export type InstanceRequest = HttpRequest | MessageRequest | OpeningRequest;

export interface MessageRequest
  extends Pick<PlannedMessage, 'conversation' | 'sends' | 'headers' | 'anonymous'> {
  readonly timeoutMs: number | null;
}

export interface OpeningRequest extends Pick<PlannedOpening, 'conversation' | 'version'> {
  readonly timeoutMs: number | null;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** A base address other than the target's. */
  readonly from: string | null;
  readonly headers: readonly Header[];
  readonly body: RequestBody | null;
  readonly abortAfterBytes: number | null;
  readonly anonymous: boolean;
  readonly keepConnection: boolean;
  readonly upgrade: 'websocket' | null;
  readonly scheme: string | null;
  readonly timeoutMs: number | null;
}

type UncalledTemplate = Exclude<RequestTemplate, { readonly kind: 'execute' }>;
type NamedPath = Extract<RequestTemplate, { readonly path: string }>;

const JSON_TYPE: readonly Header[] = [['content-type', 'application/json']];

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
        : messageRequest(template, MAIN_CONVERSATION, { method: 'tools/list', params: {} }, scope);
    case 'alive':
      return settings.mcp === undefined
        ? plainRead(template, '/health', scope)
        : messageRequest(template, MAIN_CONVERSATION, aliveMessage(opened), scope);
    case 'open':
      return {
        conversation: template.conversation,
        version: template.version,
        timeoutMs: template.timeoutMs,
      };
    case 'message': {
      const message = expandJson(template.message, scope);
      return isJsonObject(message)
        ? messageRequest(template, template.conversation, message, scope)
        : 'its message is not an object';
    }
    case 'raw':
      return sent(
        template,
        template.conversation,
        { kind: 'raw', body: rawBody(template.parts, scope) },
        scope,
      );
    case 'http':
      return settings.mcp?.channel === 'stdio'
        ? 'the server does not speak over HTTP'
        : sent(template, template.conversation, { kind: 'http', method: template.method }, scope);
    case 'close':
      return sent(template, template.conversation, { kind: 'close' }, scope);
    default:
      return pathRequest(template, scope, settings);
  }
}

/** What shows that a server of the Model Context Protocol still answers. */
export function aliveMessage(opened: Opened | null): JsonObject {
  return { method: opened?.era === 'stateless' ? 'server/discover' : 'ping', params: {} };
}

function plainRead(template: Sending, path: string, scope: Scope): HttpRequest {
  return { path, ...sendingOf(template), method: 'GET', headers: merged([], template, scope), body: null };
}

function messageRequest(
  template: Sending,
  conversation: string,
  message: JsonObject,
  scope: Scope,
): MessageRequest {
  return sent(template, conversation, { kind: 'message', message }, scope);
}

function sent(
  { headers, anonymous, timeoutMs }: Sending,
  conversation: string,
  sends: MessageToSend,
  scope: Scope,
): MessageRequest {
  const own = Object.entries(headers).map(([name, value]): [string, string | null] => [
    name,
    value === null ? null : expandToText(value, scope),
  ]);
  return { conversation, sends, headers: own, anonymous, timeoutMs };
}

function pathRequest(template: NamedPath, scope: Scope, settings: RunSettings): HttpRequest {
  const path = expandToText(template.path, scope, encodeForPath);
  const common = { path, ...sendingOf(template) };
  if (template.kind === 'get')
    return {
      ...common,
      ...elsewhere(template, scope),
      path: path + queryOf(template.query, scope),
      method: 'GET',
      headers: merged([], template, scope),
      body: null,
    };
  if (template.kind === 'post') {
    const isJson = template.body.kind === 'json';
    return {
      ...common,
      method: 'POST',
      headers: merged(isJson ? JSON_TYPE : [], template, scope),
      body: bodyOf(template.body, scope),
    };
  }
  return {
    ...common,
    method: 'GET',
    headers: merged(handshakeHeaders(settings.seed), template, scope),
    body: null,
    upgrade: 'websocket',
  };
}

/** A call of a tool; `input` is null for a call that carries none. */
export function toolCall(
  template: Sending,
  name: string,
  input: JsonObject | null,
  scope: Scope,
): MessageRequest {
  const params = { name, ...(input === null ? {} : { arguments: input }) };
  return messageRequest(template, MAIN_CONVERSATION, { method: 'tools/call', params }, scope);
}

export function executeRequest(template: RequestTemplate, body: Uint8Array, scope: Scope): HttpRequest {
  return {
    path: '/execute',
    ...sendingOf(template),
    method: 'POST',
    headers: merged(JSON_TYPE, template, scope),
    body: wholeBody(body),
  };
}

/** A call without anything unusual. */
export function plainExecuteRequest(body: Uint8Array): HttpRequest {
  return {
    path: '/execute',
    method: 'POST',
    headers: JSON_TYPE,
    body: wholeBody(body),
    abortAfterBytes: null,
    anonymous: false,
    keepConnection: false,
    scheme: null,
    timeoutMs: null,
    upgrade: null,
    from: null,
  };
}

/** The key of the target is never sent to another host. */
function elsewhere({ from }: Extract<NamedPath, { readonly kind: 'get' }>, scope: Scope) {
  return from === null ? {} : { from: expandToText(from, scope).replace(/\/+$/, ''), anonymous: true };
}

function queryOf(template: QueryTemplate | null, scope: Scope): string {
  if (template === null) return '';
  const given = typeof template === 'string' ? expandText(template, scope) : expandJson(template, scope);
  const pairs = Object.entries(isJsonObject(given) ? given : {}).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeForPath(textOf(one as Json))}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : stringifyExactly(value);
}

/** Why a template sends nothing in this run, or null. */
export function unsendable(template: RequestTemplate, settings: RunSettings): string | null {
  if (settings.mcp === undefined && SENDS_MESSAGES.has(template.kind))
    return 'only for servers of the Model Context Protocol';
  // Every operation of a directory needs a key, so requests without one are sent even if the user gave none.
  if (template.anonymous && settings.headerNames.length === 0 && targetKindOf(settings) !== 'directory')
    return 'no key was given: every request is anonymous';
  if (template.scheme !== null && !settings.headerNames.includes('authorization'))
    return 'no bearer token was given that could be sent under another scheme';
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

function sendingOf({ abort, anonymous, keepConnection, scheme, timeoutMs }: Sending) {
  const abortAfterBytes = abort?.afterBytes ?? null;
  return { abortAfterBytes, anonymous, keepConnection, scheme, timeoutMs, upgrade: null, from: null };
}

/** A lone surrogate, which a target may send, cannot be encoded in a URL. */
function encodeForPath(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\uFFFD'));
}

const KEY_BYTES = 16;

/** RFC 6455, section 4.1: the key is any sixteen bytes; these come from the seed, so that a run can be repeated. */
function handshakeHeaders(seed: number): readonly Header[] {
  const key = Buffer.alloc(KEY_BYTES, `probity-${seed}`).toString('base64');
  return [
    ['sec-websocket-key', key],
    ['sec-websocket-version', '13'],
  ];
}

function merged(base: readonly Header[], { headers }: Sending, scope: Scope): readonly Header[] {
  const own = Object.entries(headers).flatMap(([name, value]): Header[] =>
    value === null ? [] : [[name, expandToText(value, scope)]],
  );
  return [...base.filter(([name]) => !Object.hasOwn(headers, name)), ...own];
}

function bodyOf(template: BodyTemplate, scope: Scope): RequestBody | null {
  if (template.kind === 'none') return null;
  if (template.kind === 'json')
    return wholeBody(Buffer.from(stringifyExactly(expandJson(template.value, scope))));
  return rawBody(template.parts, scope);
}

function rawBody(parts: readonly RawPart[], scope: Scope): RequestBody {
  return parts.map((part): BodyPart => ({ bytes: rawBytes(part, scope), times: part.times }));
}

function rawBytes(part: RawPart, scope: Scope): Uint8Array {
  if (part.kind === 'base64') return Buffer.from(part.base64, 'base64');
  if (part.kind === 'json') return Buffer.from(stringifyExactly(expandJson(part.value, scope)));
  return Buffer.from(expandToText(part.text, scope));
}
