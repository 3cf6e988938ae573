// How a request over HTTP is written for a template.
import { stringifyExactly } from '../../json/exact-json.ts';
import { isJsonObject, type Json } from '../../json/json.ts';
import type { Header } from '../../model/exchange.ts';
import type { BodyPart, RequestBody } from '../../model/probe.ts';
import type {
  BodyTemplate,
  QueryTemplate,
  RawPart,
  RequestTemplate,
  Sending,
  TokenName,
} from '../../model/request-template.ts';
import { wholeBody } from '../../model/sent.ts';
import { expandJson, expandText, expandToText, type Scope } from './template.ts';

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
  readonly token: TokenName | null;
  readonly timeoutMs: number | null;
}

type NamedPath = Extract<RequestTemplate, { readonly path: string }>;

const JSON_TYPE: readonly Header[] = [['content-type', 'application/json']];

/** A GET. The headers of the template replace those of `base`. */
export function plainRead(
  { headers, abort, anonymous, keepConnection, scheme, token, timeoutMs }: Sending,
  path: string,
  scope: Scope,
  base: readonly Header[] = [],
): HttpRequest {
  const own = Object.entries(headers).flatMap(([name, value]): Header[] =>
    value === null ? [] : [[name, expandToText(value, scope)]],
  );
  return {
    method: 'GET',
    path,
    from: null,
    headers: [...base.filter(([name]) => !Object.hasOwn(headers, name)), ...own],
    body: null,
    abortAfterBytes: abort?.afterBytes ?? null,
    anonymous,
    keepConnection,
    upgrade: null,
    scheme,
    token,
    timeoutMs,
  };
}

export function pathRequest(template: NamedPath, scope: Scope, seed: number): HttpRequest {
  const path = expandToText(template.path, scope, encodeForPath);
  if (template.kind === 'get') {
    // The key of the target is never sent to another host.
    const elsewhere = template.from !== null && {
      from: expandToText(template.from, scope).replace(/\/+$/, ''),
      anonymous: true,
    };
    return { ...plainRead(template, path + queryOf(template.query, scope), scope), ...elsewhere };
  }
  if (template.kind === 'post') {
    const read = plainRead(template, path, scope, template.body.kind === 'json' ? JSON_TYPE : []);
    return { ...read, method: 'POST', body: bodyOf(template.body, scope) };
  }
  return { ...plainRead(template, path, scope, handshakeHeaders(seed)), upgrade: 'websocket' };
}

export function executeRequest(template: Sending, body: Uint8Array, scope: Scope): HttpRequest {
  return { ...plainRead(template, '/execute', scope, JSON_TYPE), method: 'POST', body: wholeBody(body) };
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

function bodyOf(template: BodyTemplate, scope: Scope): RequestBody | null {
  if (template.kind === 'none') return null;
  if (template.kind === 'json')
    return wholeBody(Buffer.from(stringifyExactly(expandJson(template.value, scope))));
  return rawBody(template.parts, scope);
}

export function rawBody(parts: readonly RawPart[], scope: Scope): RequestBody {
  return parts.map((part): BodyPart => ({ bytes: rawBytes(part, scope), times: part.times }));
}

function rawBytes(part: RawPart, scope: Scope): Uint8Array {
  if (part.kind === 'base64') return Buffer.from(part.base64, 'base64');
  if (part.kind === 'json') return Buffer.from(stringifyExactly(expandJson(part.value, scope)));
  return Buffer.from(expandToText(part.text, scope));
}
