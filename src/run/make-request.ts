import type { Header } from '../model/exchange.ts';
import type { BodyPart, RequestBody } from '../model/probe.ts';
import type { RunSettings } from '../model/report.ts';
import { wholeBody } from '../model/request-body.ts';
import type { BodyTemplate, RawPart, RequestTemplate, Sending } from '../model/suite.ts';
import { expandJson, expandToText, type Scope } from './template.ts';

/** A request as it will be sent, but for the target's address and what every request carries. */
export interface InstanceRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: RequestBody | null;
  readonly abortAfterBytes: number | null;
  readonly anonymous: boolean;
  readonly keepConnection: boolean;
  readonly upgrade: 'websocket' | null;
}

type NamedPath = Exclude<RequestTemplate, { readonly kind: 'execute' }>;

const JSON_TYPE: readonly Header[] = [['content-type', 'application/json']];

/** The request of a template that names its own path, or why there is none. Pure. */
export function requestOf(
  template: NamedPath,
  scope: Scope,
  settings: RunSettings,
): InstanceRequest | string {
  const unsent = unsendable(template, settings);
  if (unsent !== null) return unsent;
  const path = expandToText(template.path, scope, encodeForPath);
  const common = { path, ...sendingOf(template) };
  if (template.kind === 'get')
    return { ...common, method: 'GET', headers: merged([], template, scope), body: null };
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

export function executeRequest(template: RequestTemplate, body: Uint8Array, scope: Scope): InstanceRequest {
  return {
    path: '/execute',
    ...sendingOf(template),
    method: 'POST',
    headers: merged(JSON_TYPE, template, scope),
    body: wholeBody(body),
  };
}

/** Why a template sends nothing in this run, or null. */
export function unsendable(template: RequestTemplate, settings: RunSettings): string | null {
  if (template.anonymous && settings.headerNames.length === 0)
    return 'no key was given: every request is anonymous';
  if (template.kind === 'websocket' && !settings.transports.includes('websocket'))
    return 'no listing says that the target speaks WebSocket';
  return null;
}

function sendingOf({ abort, anonymous, keepConnection }: Sending) {
  return { abortAfterBytes: abort?.afterBytes ?? null, anonymous, keepConnection, upgrade: null };
}

/** Half a character, which a target may well send, has no place in a URL. */
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
  const own = Object.entries(headers).map(([name, value]): Header => [name, expandToText(value, scope)]);
  return [...base.filter(([name]) => !Object.hasOwn(headers, name)), ...own];
}

function bodyOf(template: BodyTemplate, scope: Scope): RequestBody | null {
  if (template.kind === 'none') return null;
  if (template.kind === 'json')
    return wholeBody(Buffer.from(JSON.stringify(expandJson(template.value, scope))));
  return template.parts.map((part): BodyPart => ({ bytes: rawBytes(part, scope), times: part.times }));
}

function rawBytes(part: RawPart, scope: Scope): Uint8Array {
  if (part.kind === 'base64') return Buffer.from(part.base64, 'base64');
  if (part.kind === 'json') return Buffer.from(JSON.stringify(expandJson(part.value, scope)));
  return Buffer.from(expandToText(part.text, scope));
}
