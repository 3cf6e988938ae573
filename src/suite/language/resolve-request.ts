import type { Json, JsonObject } from '../../json/json.ts';
import type {
  ArgumentsTemplate,
  BodyTemplate,
  QueryTemplate,
  RawPart,
  RequestTemplate,
  Sending,
} from '../../model/request-template.ts';
import { didYouMean } from '../yaml/diagnostic.ts';
import { valuesByKey } from '../yaml/mapping.ts';
import type { Placed } from '../yaml/shape.ts';
import type { RawRequest } from './request-language.ts';
import type { ResolveContext } from './resolve-context.ts';
import type { RawStep, RawSuite } from './suite-language.ts';

const SENDING_KEYS = [
  'headers',
  'abort',
  'anonymous',
  'keepConnection',
  'scheme',
  'token',
  'timeoutMs',
  'retry',
];
/** What has no body, or not always one, cannot be aborted in the middle of it. */
const KEYS_WITHOUT_BODY = SENDING_KEYS.filter((key) => key !== 'abort');

const KEYS_OF_KIND = {
  get: [...KEYS_WITHOUT_BODY, 'query', 'from'],
  post: [...SENDING_KEYS, 'body', 'raw'],
  execute: [...SENDING_KEYS, 'arguments', 'requestId', 'unlisted'],
  websocket: ['headers'],
  list: KEYS_WITHOUT_BODY,
  alive: KEYS_WITHOUT_BODY,
  open: [...KEYS_WITHOUT_BODY, 'version', 'capabilities'],
  message: [...SENDING_KEYS, 'conversation', 'until'],
  raw: [...SENDING_KEYS, 'conversation'],
  http: [...KEYS_WITHOUT_BODY, 'conversation'],
  close: KEYS_WITHOUT_BODY,
};

type Kind = keyof typeof KEYS_OF_KIND;

const KINDS = Object.keys(KEYS_OF_KIND) as readonly Kind[];
const REQUEST_KEYS = new Set(Object.entries(KEYS_OF_KIND).flat(2));

/** `raw` is the body of a request that is named otherwise, or else a request itself. */
function kindsIn({ keyPlaces }: RawRequest): readonly Kind[] {
  const given = KINDS.filter((kind) => Object.hasOwn(keyPlaces, kind));
  return given.length > 1 ? given.filter((kind) => kind !== 'raw') : given;
}

/** What a step sends, with its references checked; null after a mistake. */
export function resolveRequest(
  raw: RawRequest,
  step: RawStep,
  defaults: RawSuite['defaults'],
  context: ResolveContext,
): RequestTemplate | null {
  const kinds = kindsIn(raw);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const found = kinds.join(' and ') || 'none';
    const message = `a request needs exactly one of ${KINDS.join(', ')}; found ${found}`;
    context.report('one-of-keys', raw.place, message, 'Keep one of them.');
    return null;
  }
  const allowed: readonly string[] = [kind, ...KEYS_OF_KIND[kind]];
  for (const [key, place] of Object.entries(raw.keyPlaces)) {
    if (allowed.includes(key) || !REQUEST_KEYS.has(key)) continue;
    const message = `"${key}" cannot be combined with "${kind}"`;
    context.report('unknown-key', place, message, didYouMean(key, allowed, ''));
  }
  const sending = resolveSending(raw, defaults, context);
  // A wrong value was reported already.
  const filled = (given: Placed<string> | undefined): string =>
    given === undefined ? '' : context.template(given);
  // The name of those that name none.
  const { conversation = 'main' } = raw;
  switch (kind) {
    case 'get': {
      const from = raw.from === undefined ? null : context.template(raw.from);
      return { kind, path: filled(raw.get), query: resolveQuery(raw.query, context), from, ...sending };
    }
    case 'post':
      return { kind, path: filled(raw.post), body: resolveBody(raw, step, context), ...sending };
    case 'execute':
      return {
        kind,
        function: filled(raw.execute),
        unlisted: raw.unlisted ?? false,
        arguments: resolveArguments(raw.arguments, context),
        requestId: filled(raw.requestId),
        ...sending,
      };
    case 'websocket':
      return { kind, path: filled(raw.websocket), ...sending };
    case 'list':
      return { kind, of: raw.list ?? 'functions', ...sending };
    case 'alive':
      return { kind, ...sending };
    case 'open':
      return {
        kind,
        conversation: raw.open ?? '',
        version: raw.version ?? null,
        isBare: raw.capabilities === 'none',
        ...sending,
      };
    case 'message': {
      const message = raw.message === undefined ? {} : context.templates(raw.message);
      return { kind, conversation, message, until: raw.until ?? null, ...sending };
    }
    case 'raw':
      return { kind, conversation, parts: resolveParts(raw, context), ...sending };
    case 'http':
      return { kind, conversation, method: raw.http ?? 'GET', ...sending };
    case 'close':
      return { kind, conversation: raw.close ?? '', ...sending };
  }
}

function resolveSending(raw: RawRequest, defaults: RawSuite['defaults'], context: ResolveContext): Sending {
  const headers = [...(defaults?.headers ?? []), ...(raw.headers ?? [])].map(({ key, value: given }) => {
    const { value, place } = given;
    return { key: key.toLowerCase(), value: value === null ? null : context.template({ value, place }) };
  });
  const retry = raw.retry ?? defaults?.retry;
  return {
    headers: valuesByKey(headers),
    abort: raw.abort ?? null,
    anonymous: raw.anonymous ?? false,
    keepConnection: raw.keepConnection ?? false,
    scheme: raw.scheme ?? null,
    token: raw.token ?? null,
    timeoutMs: raw.timeoutMs ?? null,
    retry: retry === undefined ? null : { attempts: retry.attempts, waitMs: retry.waitMs ?? 0, on: retry.on },
  };
}

function resolveQuery(raw: RawRequest['query'], context: ResolveContext): QueryTemplate | null {
  if (raw === undefined) return null;
  const { value, place } = raw;
  for (const [name, given] of Object.entries(typeof value === 'string' ? {} : value)) {
    if (![given].flat().some((one: Json) => typeof one === 'object')) continue;
    const message = `the query parameter "${name}" is neither a value nor a list of values`;
    context.report(
      'wrong-type',
      place,
      message,
      'Write a text, a number, true or false, or a list of these.',
    );
  }
  return context.templates<string | JsonObject>(raw);
}

function resolveArguments(raw: RawRequest['arguments'], context: ResolveContext): ArgumentsTemplate {
  if (raw === undefined) return { kind: 'sample' };
  const { value, place } = raw;
  return typeof value === 'string'
    ? { kind: value }
    : { kind: 'given', value: context.templates({ value, place }) };
}

function resolveBody(raw: RawRequest, step: RawStep, context: ResolveContext): BodyTemplate {
  if (raw.body !== undefined && raw.raw !== undefined) {
    const message = 'a request has `body` or `raw`, not both';
    context.report('one-of-keys', step.id.place, message, 'Keep one of them.');
  }
  if (raw.body !== undefined) return { kind: 'json', value: context.templates(raw.body) };
  if (raw.raw === undefined) return { kind: 'none' };
  return { kind: 'raw', parts: resolveParts(raw, context) };
}

const MAX_RAW_BYTES = 16 * 1024 * 1024;

function resolveParts(raw: RawRequest, context: ResolveContext): readonly RawPart[] {
  const parts = (raw.raw ?? []).map((part) => resolveRawPart(part, context));
  const bytes = parts.reduce((sum, part) => sum + minBytesOf(part), 0);
  if (bytes > MAX_RAW_BYTES) {
    const message = `the body has ${bytes} bytes, more than the limit of ${MAX_RAW_BYTES}`;
    context.report('wrong-value', raw.keyPlaces.raw ?? raw.place, message, 'Reduce `times`.');
  }
  return parts;
}

/** References may make it longer. */
function minBytesOf(part: RawPart): number {
  if (part.kind === 'text') return Buffer.byteLength(part.text) * part.times;
  return part.kind === 'base64' ? Math.floor((part.base64.length * 3) / 4) * part.times : 0;
}

function resolveRawPart(raw: NonNullable<RawRequest['raw']>[number], context: ResolveContext): RawPart {
  if ('value' in raw) return { kind: 'text', text: context.template(raw), times: 1 };
  const { text, base64, json, times = 1, place, keyPlaces } = raw;
  const kinds = ['text', 'base64', 'json'].filter((kind) => Object.hasOwn(keyPlaces, kind));
  if (kinds.length !== 1) {
    const found = kinds.join(' and ') || 'none';
    const message = `\`raw\` needs exactly one of text, base64, json; found ${found}`;
    context.report('one-of-keys', place, message, 'Keep one of them.');
  }
  if (json !== undefined) return { kind: 'json', value: context.templates(json), times };
  if (base64 !== undefined) return { kind: 'base64', base64, times };
  return { kind: 'text', text: text === undefined ? '' : context.template(text), times };
}
