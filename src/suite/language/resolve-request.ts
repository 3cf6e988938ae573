import type { JsonObject } from '../../json/json.ts';
import type {
  ArgumentsTemplate,
  BodyTemplate,
  QueryTemplate,
  RawPart,
  RequestTemplate,
  Retry,
  Sending,
} from '../../model/suite.ts';
import { didYouMean, type Place } from '../diagnostic.ts';
import type { Placed } from '../shape.ts';
import type { ResolveContext } from './resolve-context.ts';
import type { RawRequest, RawStep, RawSuite } from './suite-language.ts';

const SENDING_KEYS = [
  'headers',
  'abort',
  'anonymous',
  'keepConnection',
  'scheme',
  'timeoutMs',
  'retry',
] as const;

// What has no body, or not always one, cannot be aborted in the middle of it.
const KEYS_WITHOUT_BODY = ['headers', 'anonymous', 'keepConnection', 'scheme', 'timeoutMs', 'retry'] as const;

const KEYS_OF_KIND = {
  get: [...KEYS_WITHOUT_BODY, 'query', 'from'],
  post: [...SENDING_KEYS, 'body', 'raw'],
  execute: [...SENDING_KEYS, 'arguments', 'requestId', 'unlisted'],
  websocket: ['headers'],
  list: KEYS_WITHOUT_BODY,
  alive: KEYS_WITHOUT_BODY,
  open: [...KEYS_WITHOUT_BODY, 'version'],
  message: [...SENDING_KEYS, 'conversation'],
  raw: [...SENDING_KEYS, 'conversation'],
  http: [...KEYS_WITHOUT_BODY, 'conversation'],
  close: KEYS_WITHOUT_BODY,
} as const;

type Kind = keyof typeof KEYS_OF_KIND;

const KINDS = Object.keys(KEYS_OF_KIND) as readonly Kind[];

/** `raw` is the body of a request that is named otherwise, or else a request itself. */
function kindsIn({ keyPlaces }: RawRequest): readonly Kind[] {
  const given = KINDS.filter((kind) => Object.hasOwn(keyPlaces, kind));
  return given.length > 1 ? given.filter((kind) => kind !== 'raw') : given;
}

/** Of requests that name none. */
const MAIN_CONVERSATION = 'main';

const REQUEST_KEYS: ReadonlySet<string> = new Set(
  Object.entries(KEYS_OF_KIND).flatMap(([kind, keys]) => [kind, ...keys]),
);

/** What a step sends, with its references checked; null after a mistake. */
export function resolveRequest(
  raw: RawRequest,
  step: RawStep,
  defaults: RawSuite['defaults'],
  scope: readonly string[],
  context: ResolveContext,
): RequestTemplate | null {
  const kinds = kindsIn(raw);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    context.report(
      'one-of-keys',
      raw.place,
      `a request needs exactly one of ${KINDS.join(', ')}; found ${kinds.join(' and ') || 'none'}`,
      'Keep one of them.',
    );
    return null;
  }
  const allowed: readonly string[] = [kind, ...KEYS_OF_KIND[kind]];
  for (const [key, place] of Object.entries(raw.keyPlaces)) {
    if (!allowed.includes(key) && REQUEST_KEYS.has(key))
      context.report(
        'unknown-key',
        place,
        `"${key}" cannot be combined with "${kind}"`,
        didYouMean(key, allowed, ''),
      );
  }
  const headers = resolveHeaders([...(defaults?.headers ?? []), ...(raw.headers ?? [])], scope, context);
  const sending: Sending = {
    headers,
    abort: raw.abort === undefined ? null : { afterBytes: raw.abort.afterBytes },
    anonymous: raw.anonymous ?? false,
    keepConnection: raw.keepConnection ?? false,
    scheme: raw.scheme ?? null,
    timeoutMs: raw.timeoutMs ?? null,
    retry: retryOf(raw.retry ?? defaults?.retry),
  };
  // A wrong value was reported already.
  const filled = (given: Placed<string> | undefined): string =>
    given === undefined ? '' : context.template(given, scope);
  const conversation = raw.conversation ?? MAIN_CONVERSATION;
  switch (kind) {
    case 'get':
      return {
        kind,
        path: filled(raw.get),
        query: resolveQuery(raw.query, scope, context),
        from: raw.from === undefined ? null : context.template(raw.from, scope),
        ...sending,
      };
    case 'post':
      return { kind, path: filled(raw.post), body: resolveBody(raw, step, scope, context), ...sending };
    case 'execute':
      return {
        kind,
        function: filled(raw.execute),
        unlisted: raw.unlisted ?? false,
        arguments: resolveArguments(raw.arguments, scope, context),
        requestId: filled(raw.requestId),
        ...sending,
      };
    case 'websocket':
      return { kind, path: filled(raw.websocket), ...sending };
    case 'list':
    case 'alive':
      return { kind, ...sending };
    case 'open':
      return { kind, conversation: raw.open ?? '', version: raw.version ?? null, ...sending };
    case 'message':
      return {
        kind,
        conversation,
        message: raw.message === undefined ? {} : context.templates(raw.message, scope),
        ...sending,
      };
    case 'raw':
      return { kind, conversation, parts: resolveParts(raw, scope, context), ...sending };
    case 'http':
      return { kind, conversation, method: raw.http ?? 'GET', ...sending };
    case 'close':
      return { kind, conversation: raw.close ?? '', ...sending };
  }
}

function retryOf(raw: RawRequest['retry']): Retry | null {
  return raw === undefined ? null : { attempts: raw.attempts, waitMs: raw.waitMs ?? 0, on: raw.on };
}

function resolveQuery(
  raw: RawRequest['query'],
  scope: readonly string[],
  context: ResolveContext,
): QueryTemplate | null {
  if (raw === undefined) return null;
  const { value, place } = raw;
  if (typeof value === 'string') return context.template({ value, place }, scope);
  for (const [name, given] of Object.entries(value))
    if ([given].flat().some((one) => typeof one === 'object'))
      context.report(
        'wrong-type',
        place,
        `the query parameter "${name}" is neither a value nor a list of values`,
        'Write a text, a number, true or false, or a list of these.',
      );
  return context.templates({ value, place }, scope) as JsonObject;
}

function resolveHeaders(
  entries: NonNullable<RawRequest['headers']>,
  scope: readonly string[],
  context: ResolveContext,
): Sending['headers'] {
  return Object.fromEntries(
    entries.map(({ key, value: { value, place } }) => [
      key.toLowerCase(),
      value === null ? null : context.template({ value, place }, scope),
    ]),
  );
}

function resolveArguments(
  raw: RawRequest['arguments'],
  scope: readonly string[],
  context: ResolveContext,
): ArgumentsTemplate {
  if (raw === undefined) return { kind: 'sample' };
  if (typeof raw.value === 'string') return { kind: raw.value };
  return { kind: 'given', value: context.templates({ value: raw.value, place: raw.place }, scope) };
}

function resolveBody(
  raw: RawRequest,
  step: RawStep,
  scope: readonly string[],
  context: ResolveContext,
): BodyTemplate {
  if (raw.body !== undefined && raw.raw !== undefined) {
    context.report(
      'one-of-keys',
      step.id.place,
      'a request has `body` or `raw`, not both',
      'Keep one of them.',
    );
  }
  if (raw.body !== undefined) return { kind: 'json', value: context.templates(raw.body, scope) };
  if (raw.raw === undefined) return { kind: 'none' };
  return { kind: 'raw', parts: resolveParts(raw, scope, context) };
}

function resolveParts(
  raw: RawRequest,
  scope: readonly string[],
  context: ResolveContext,
): readonly RawPart[] {
  const parts = (raw.raw ?? []).map((part) => resolveRawPart(part, scope, context));
  const bytes = parts.reduce((sum, part) => sum + minBytesOf(part), 0);
  if (bytes > MAX_RAW_BYTES) {
    context.report(
      'wrong-value',
      raw.keyPlaces.raw ?? raw.place,
      `the body has ${bytes} bytes, more than the limit of ${MAX_RAW_BYTES}`,
      'Reduce `times`.',
    );
  }
  return parts;
}

const MAX_RAW_BYTES = 16 * 1024 * 1024;

/** References may make it longer. */
function minBytesOf(part: RawPart): number {
  if (part.kind === 'text') return Buffer.byteLength(part.text) * part.times;
  return part.kind === 'base64' ? Math.floor((part.base64.length * 3) / 4) * part.times : 0;
}

type RawPartInFile = NonNullable<RawRequest['raw']>[number];

function resolveRawPart(raw: RawPartInFile, scope: readonly string[], context: ResolveContext): RawPart {
  if ('value' in raw) return { kind: 'text', text: context.template(raw, scope), times: 1 };
  const { text, base64, json, times = 1, place, keyPlaces } = raw;
  const kinds = ['text', 'base64', 'json'].filter((kind) => Object.hasOwn(keyPlaces, kind));
  if (kinds.length !== 1) reportParts(kinds, place, context);
  if (json !== undefined) return { kind: 'json', value: context.templates(json, scope), times };
  if (base64 !== undefined) return { kind: 'base64', base64, times };
  return { kind: 'text', text: text === undefined ? '' : context.template(text, scope), times };
}

function reportParts(found: readonly string[], place: Place, context: ResolveContext): void {
  const message = `\`raw\` needs exactly one of text, base64, json; found ${found.join(' and ') || 'none'}`;
  context.report('one-of-keys', place, message, 'Keep one of them.');
}
