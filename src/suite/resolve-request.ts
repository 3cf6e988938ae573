import type { JsonObject } from '../model/json.ts';
import type {
  ArgumentsTemplate,
  BodyTemplate,
  QueryTemplate,
  RawPart,
  RequestTemplate,
  Sending,
} from '../model/suite.ts';
import { didYouMean, type Place } from './diagnostic.ts';
import type { ResolveContext } from './resolve-context.ts';
import type { Placed } from './shape.ts';
import type { RawRequest, RawStep, RawSuite } from './suite-language.ts';

const SENDING_KEYS = ['headers', 'abort', 'anonymous', 'keepConnection', 'scheme', 'timeoutMs'] as const;

const KEYS_OF_KIND = {
  // A GET has no body, so it cannot be aborted in the middle of one.
  get: ['headers', 'anonymous', 'keepConnection', 'scheme', 'timeoutMs', 'query', 'from'],
  post: [...SENDING_KEYS, 'body', 'raw'],
  execute: [...SENDING_KEYS, 'arguments', 'requestId', 'unlisted'],
  websocket: ['headers'],
} as const;

const KINDS = ['get', 'post', 'execute', 'websocket'] as const;

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
  const kinds = KINDS.filter((kind) => Object.hasOwn(raw.keyPlaces, kind));
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
  };
  const wanted: Placed<string> | undefined = raw[kind];
  const target = wanted === undefined ? '' : context.template(wanted, scope);
  if (kind === 'websocket') return { kind, path: target, ...sending };
  if (kind === 'get')
    return {
      kind,
      path: target,
      query: resolveQuery(raw.query, scope, context),
      from: raw.from === undefined ? null : context.template(raw.from, scope),
      ...sending,
    };
  if (kind === 'post')
    return { kind, path: target, body: resolveBody(raw, step, scope, context), ...sending };
  return {
    kind,
    function: target,
    unlisted: raw.unlisted ?? false,
    arguments: resolveArguments(raw.arguments, scope, context),
    requestId: raw.requestId === undefined ? '' : context.template(raw.requestId, scope),
    ...sending,
  };
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
  entries: readonly (Placed<Placed<string>> & { readonly key: string })[],
  scope: readonly string[],
  context: ResolveContext,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.map(({ key, value }) => [key.toLowerCase(), context.template(value, scope)]),
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
  const parts = raw.raw.map((part) => resolveRawPart(part, scope, context));
  const bytes = parts.reduce((sum, part) => sum + minBytesOf(part), 0);
  if (bytes > MAX_RAW_BYTES) {
    context.report(
      'wrong-value',
      raw.keyPlaces.raw ?? raw.place,
      `the body has ${bytes} bytes, more than the limit of ${MAX_RAW_BYTES}`,
      'Reduce `times`.',
    );
  }
  return { kind: 'raw', parts };
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
