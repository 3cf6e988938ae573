import { isJsonObject, type Json, type JsonObject, ownProperty, ownText } from '../../json/json.ts';
import type { Answer, Exchange } from '../../model/exchange.ts';
import { messageMethod, sentJson } from '../../model/sent.ts';
import type { Era, Opened } from '../../model/wire.ts';
import { answeringMessage } from './answer.ts';
import type { Message } from './messages.ts';

/** The revisions that are known, the newest first. */
const VERSIONS: Readonly<Record<Era, readonly string[]>> = {
  stateless: ['2026-07-28'],
  session: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
};

/** What this client says of itself. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
  /** What servers may ask of it; left out: nothing. */
  readonly capabilities?: JsonObject | undefined;
}

/** The newest known revision of an era. */
export function newestOf(era: Era): string {
  const [newest = ''] = VERSIONS[era];
  return newest;
}

/** The era of a known revision. */
export function eraOf(version: string): Era | undefined {
  return (['stateless', 'session'] as const).find((era) => VERSIONS[era].includes(version));
}

/** The first message of a conversation: it asks for a revision of its era. */
export function openingMessage(era: Era, id: number, version: string, client: ClientInfo): JsonObject {
  if (era === 'stateless')
    return withMeta({ jsonrpc: '2.0', id, method: 'server/discover', params: {} }, version, client);
  const params = {
    protocolVersion: version,
    capabilities: client.capabilities ?? {},
    clientInfo: { name: client.name, version: client.version },
  };
  return { jsonrpc: '2.0', id, method: 'initialize', params };
}

/** In the session era, the client says that it is ready (lifecycle, initialization). */
export const INITIALIZED: JsonObject = { jsonrpc: '2.0', method: 'notifications/initialized' };

const PREFIX = 'io.modelcontextprotocol/';
/** JSON-RPC 2.0, section 5.1. */
export const METHOD_NOT_FOUND = -32_601;

/**
 * A message with what every message of its conversation has: `jsonrpc`, for a request an id, and in the stateless era
 * `_meta`. What is given stays as it is.
 */
export function completeMessage(
  given: JsonObject,
  id: number,
  { era, version }: { readonly era: Era; readonly version: string },
  client: ClientInfo,
): JsonObject {
  const method = ownProperty(given, 'method');
  const isRequest = typeof method === 'string' && !method.startsWith('notifications/');
  const message = { jsonrpc: '2.0', ...(isRequest ? { id } : {}), ...given };
  const asking = method === 'tools/call' ? withProgressToken(message, id) : message;
  return isRequest && era === 'stateless' ? withMeta(asking, version, client) : asking;
}

/** Clients ask for the progress of every call, and only then do servers report it (utilities, progress). */
function withProgressToken(message: JsonObject, id: number): JsonObject {
  const params = ownProperty(message, 'params') ?? {};
  const meta = ownProperty(params, '_meta') ?? {};
  if (!isJsonObject(params) || !isJsonObject(meta)) return message;
  return { ...message, params: { ...params, _meta: { progressToken: progressTokenOf(id), ...meta } } };
}

/** A text that no server counts up to by itself. */
const progressTokenOf = (id: number): string => `probity-${id}`;

/** Whether a call of this client gave the token. */
export function isProgressToken(token: Json | undefined): boolean {
  return typeof token === 'string' && /^probity-\d+$/.test(token);
}

/** A request of the stateless era: each has the data that a session negotiates once. */
function withMeta(message: JsonObject, version: string, client: ClientInfo): JsonObject {
  const params = ownProperty(message, 'params') ?? {};
  if (!isJsonObject(params)) return message;
  const meta = ownProperty(params, '_meta') ?? {};
  if (!isJsonObject(meta)) return message;
  const added = {
    [`${PREFIX}protocolVersion`]: version,
    [`${PREFIX}clientInfo`]: { name: client.name, version: client.version },
    [`${PREFIX}clientCapabilities`]: client.capabilities ?? {},
  };
  // What is given as null is left out.
  const members = Object.entries({ ...added, ...meta }).filter(([, value]) => value !== null);
  return { ...message, params: { ...params, _meta: Object.fromEntries(members) } };
}

/** What the answer to the first message of an era means. */
export type OpeningReading =
  /** The era is the server’s, and this revision is used. `name` is what the server calls itself. */
  | { readonly kind: 'opened'; readonly version: string; readonly name: string | null }
  /** The server names this revision instead. */
  | { readonly kind: 'other-version'; readonly era: Era; readonly version: string }
  /** It is no answer of a server of this era. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads the answer to the first message of an era, which asked for this version. */
export function readOpening(era: Era, asked: string, message: Message): OpeningReading {
  return era === 'stateless' ? readDiscovered(asked, message) : readInitialized(asked, message);
}

function readDiscovered(asked: string, message: Message): OpeningReading {
  if (message.kind === 'result') {
    const supported = textsIn(ownProperty(message.result, 'supportedVersions'));
    if (supported === null) return { kind: 'refused', reason: 'its result has no list of supportedVersions' };
    // The server answered in this version, even if it does not name it.
    const other = supported.includes(asked) ? null : knownIn(supported, asked);
    return other ?? { kind: 'opened', version: asked, name: nameIn(serverInfoIn(message.result)) };
  }
  if (message.kind !== 'error' || !isStatelessError(message)) return refused(message);
  // Only a server of this era knows the code: it refuses the version, a header, or what this client cannot do.
  const supported = textsIn(ownProperty(message.data, 'supported')) ?? [];
  if (message.code === UNSUPPORTED_VERSION) return knownIn(supported, asked) ?? refused(message);
  return { kind: 'opened', version: asked, name: null };
}

function readInitialized(asked: string, message: Message): OpeningReading {
  if (message.kind === 'result') {
    const version = ownProperty(message.result, 'protocolVersion');
    if (typeof version !== 'string') return { kind: 'refused', reason: 'its result has no protocolVersion' };
    return { kind: 'opened', version, name: nameIn(ownProperty(message.result, 'serverInfo')) };
  }
  if (message.kind !== 'error') return refused(message);
  const supported = [
    ...(textsIn(ownProperty(message.data, 'supported')) ?? []),
    ...versionsIn(typeof message.message === 'string' ? message.message : ''),
  ];
  return knownIn(supported, asked) ?? refused(message);
}

const UNSUPPORTED_VERSION = -32_022;
/** Header mismatch, missing capability of the client, unsupported version (revision 2026-07-28, schema). */
const STATELESS_CODES: readonly (Json | undefined)[] = [-32_020, -32_021, UNSUPPORTED_VERSION];

/** Whether only a server of the stateless era sends this error. */
export function isStatelessError(message: Message): boolean {
  return message.kind === 'error' && STATELESS_CODES.includes(message.code);
}

/** The revisions that a text names, as servers do that refuse one in words. */
export function versionsIn(text: string): readonly string[] {
  return text.match(/\b20\d\d-\d\d-\d\d\b/g) ?? [];
}

/** The newest revision that both sides know, other than the one that was refused. */
export function knownIn(
  supported: readonly string[],
  refusedVersion: string,
): Extract<OpeningReading, { kind: 'other-version' }> | null {
  for (const era of ['stateless', 'session'] as const) {
    const version = VERSIONS[era].find((one) => one !== refusedVersion && supported.includes(one));
    if (version !== undefined) return { kind: 'other-version', era, version };
  }
  return null;
}

function refused(message: Message): OpeningReading {
  if (message.kind === 'error') {
    const [code, words] = [message.code, message.message].map((one) => JSON.stringify(one ?? null));
    return { kind: 'refused', reason: `it answered with the error ${code}: ${words}` };
  }
  const reason = 'problem' in message ? message.problem : 'its answer is no result';
  return { kind: 'refused', reason };
}

function textsIn(value: Json | undefined): readonly string[] | null {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : null;
}

function serverInfoIn(result: Json): Json | undefined {
  return ownProperty(ownProperty(result, '_meta'), `${PREFIX}serverInfo`);
}

function nameIn(info: Json | undefined): string | null {
  const [name, version] = [ownProperty(info, 'name'), ownProperty(info, 'version')];
  if (typeof name !== 'string') return null;
  return typeof version === 'string' ? `${name} ${version}` : name;
}

/** What the exchanges that opened a conversation led to; null if none opened it. Pure, so that a replay finds the same. */
export function openedBy(exchanges: readonly Exchange[]): Opened | null {
  return exchanges.map(openedIn).findLast((one) => one !== null) ?? null;
}

/** The era in which an exchange asked for a conversation; null if it did not ask. */
export function eraAsked(exchange: Exchange): Era | null {
  const method = messageMethod(exchange.request);
  if (method === 'initialize') return 'session';
  return method === 'server/discover' ? 'stateless' : null;
}

/** The revision by whose rules a server is judged: the newest of its era if it negotiated none that is known. */
export function judgedVersion({ era, version }: Pick<Opened, 'era' | 'version'>): string {
  return VERSIONS[era].includes(version) ? version : newestOf(era);
}

function openedIn(exchange: Exchange): Opened | null {
  if (exchange.kind === 'unanswered') return null;
  const message = answeringMessage(exchange)?.message;
  const era = eraAsked(exchange);
  if (message === undefined || era === null) return null;
  const params = ownProperty(sentJson(exchange.request), 'params');
  const asked =
    ownProperty(params, 'protocolVersion') ??
    ownProperty(ownProperty(params, '_meta'), `${PREFIX}protocolVersion`);
  if (typeof asked !== 'string') return null;
  const reading = readOpening(era, asked, message);
  // Over HTTP, an address of the stateless era may know no such method, and says so with 404.
  const isOpen = reading.kind === 'opened' || isUnknownToStateless(exchange, era, message);
  if (!isOpen) return null;
  const result = message.kind === 'result' ? message.result : null;
  const capabilities = ownProperty(result, 'capabilities');
  const info = era === 'session' ? ownProperty(result, 'serverInfo') : serverInfoIn(result);
  return {
    era,
    channel: exchange.kind === 'heard' ? 'stdio' : 'http',
    version: reading.kind === 'opened' ? reading.version : asked,
    name: ownText(info, 'name'),
    serverVersion: ownText(info, 'version'),
    capabilities: isJsonObject(capabilities) ? capabilities : {},
  };
}

function isUnknownToStateless(exchange: Answer, era: Era, message: Message): boolean {
  if (era !== 'stateless' || exchange.kind !== 'answered' || message.kind !== 'error') return false;
  return exchange.response.status === 404 && message.code === METHOD_NOT_FOUND;
}
