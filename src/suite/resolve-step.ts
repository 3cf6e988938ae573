import type { Json } from '../model/json.ts';
import type {
  Abort,
  ArgumentsTemplate,
  BodyTemplate,
  RequestTemplate,
  Retry,
  Save,
  Step,
} from '../model/suite.ts';
import { didYouMean } from './diagnostic.ts';
import { qualified, resolveAssertions, resolveCondition } from './resolve-assertions.ts';
import type { ResolveContext } from './resolve-context.ts';
import type { Placed } from './shape.ts';
import type { RawRequest, RawStep, RawSuite } from './suite-language.ts';

/** Names that every step may refer to: `${run.seed}` and `${run.id}`. */
const BUILT_IN_NAMES = ['run'];

type Defaults = RawSuite['defaults'];

/**
 * A step with its references resolved. `savedNames` are those that the steps it needs have saved, `decidedBefore` the
 * requirements that the steps it needs or uses decide.
 */
export function resolveStep(
  raw: RawStep,
  defaults: Defaults,
  savedNames: readonly string[],
  context: ResolveContext,
  decidedBefore: ReadonlySet<string>,
): Step {
  const outer = [...BUILT_IN_NAMES, ...savedNames];
  const inner = [...outer, ...(raw.forEach ? [raw.forEach.as] : []), ...(raw.cases ? ['case'] : [])];
  const use = resolveUse(raw, context);
  const wrongUse = raw.use === undefined && Object.hasOwn(raw.keyPlaces, 'use');
  if (!Object.hasOwn(raw.keyPlaces, 'request') && Object.keys(use).length === 0 && !wrongUse) {
    context.report(
      'one-of-keys',
      raw.id.place,
      `the step "${raw.id.value}" sends nothing and uses no other step`,
      'Add `request` or `use`.',
    );
  }
  if (raw.request !== undefined && Object.keys(use).length > 0 && Object.hasOwn(use, '')) {
    context.report(
      'one-of-keys',
      raw.id.place,
      'a step with a request names the steps that it uses',
      'Write `use: { name: step }`.',
    );
  }
  if (raw.when?.present !== undefined) {
    context.report(
      'wrong-value',
      raw.when.present.place,
      '`present` looks into an answer, which a step does not have yet',
      'Move it to the assertions.',
    );
  }
  if (raw.save !== undefined && (raw.forEach !== undefined || raw.cases !== undefined)) {
    context.report(
      'one-of-keys',
      raw.id.place,
      'a step that runs several times cannot `save`: which answer would count?',
      'Save in a step of its own.',
    );
  }
  return {
    id: `${context.suiteId}/${raw.id.value}`,
    title: raw.title ?? raw.id.value,
    where: context.locate(raw.id.place),
    request: raw.request === undefined ? null : resolveRequest(raw.request, raw, defaults, inner, context),
    use,
    needs: (raw.needs ?? []).map(({ value }) => qualified(value, context)),
    when: resolveCondition(raw.when, context),
    forEach: resolveForEach(raw.forEach, outer, context),
    cases: resolveCases(raw.cases, context),
    repeat: { times: raw.repeat?.times ?? 1, apartMs: raw.repeat?.apartMs ?? 0 },
    parallel: raw.parallel ?? 1,
    sample: raw.sample ?? 0,
    retry: resolveRetry(raw.retry ?? defaults?.retry),
    finally: raw.finally ?? false,
    expect: resolveAssertions(raw, context, decidedBefore),
    save: resolveSave(raw.save, context),
  };
}

/** A lone step is used under the empty name: its answer is then this step's answer. */
export function resolveUse(raw: RawStep, context: ResolveContext): Readonly<Record<string, string>> {
  if (raw.use === undefined) return {};
  if ('place' in raw.use) return { '': qualified(raw.use.value, context) };
  return Object.fromEntries(raw.use.map(({ key, value }) => [key, qualified(value.value, context)]));
}

function resolveRetry(raw: NonNullable<Defaults>['retry']): Retry | null {
  return raw === undefined ? null : { attempts: raw.attempts, waitMs: raw.waitMs ?? 0, on: raw.on };
}

function resolveForEach(
  raw: RawStep['forEach'],
  scope: readonly string[],
  context: ResolveContext,
): Step['forEach'] {
  if (raw === undefined) return null;
  return {
    in: context.template(raw.in, scope),
    as: raw.as,
    key: context.template(raw.key, [...scope, raw.as]),
    where: raw.where === undefined ? null : context.schema(raw.where),
    succeeded: raw.succeeded === undefined ? null : qualified(raw.succeeded.value, context),
    first: raw.first ?? null,
  };
}

function resolveCases(raw: RawStep['cases'], context: ResolveContext): Step['cases'] {
  if (raw === undefined) return null;
  const ids = new Set<Json>();
  for (const { value, place } of raw) {
    const id = Object.hasOwn(value, 'id') ? value.id : undefined;
    if (typeof id !== 'string' || id === '')
      context.report('missing-key', place, 'a case lacks its `id`', 'Add `id:` with a short name.');
    else if (ids.has(id))
      context.report(
        'duplicate-id',
        place,
        `the case "${id}" stands twice`,
        'Case ids are unique within a step.',
      );
    if (id !== undefined) ids.add(id);
  }
  return raw.map(({ value }) => value);
}

function resolveSave(raw: RawStep['save'], context: ResolveContext): Readonly<Record<string, Save>> {
  return Object.fromEntries(
    (raw ?? []).map(({ key, value }) => [
      key,
      {
        at: context.selector(value.at),
        many: value.many ?? false,
        needs: value.needs === undefined ? null : qualified(value.needs.value, context),
      },
    ]),
  );
}

const KEYS_OF_KIND = {
  get: ['headers', 'abort'],
  post: ['headers', 'abort', 'body', 'raw'],
  execute: ['headers', 'abort', 'arguments', 'requestId', 'unlisted'],
} as const;

const REQUEST_KEYS: ReadonlySet<string> = new Set(
  Object.entries(KEYS_OF_KIND).flatMap(([kind, keys]) => [kind, ...keys]),
);

function resolveRequest(
  raw: RawRequest,
  step: RawStep,
  defaults: Defaults,
  scope: readonly string[],
  context: ResolveContext,
): RequestTemplate | null {
  const kinds = (['get', 'post', 'execute'] as const).filter((kind) => Object.hasOwn(raw.keyPlaces, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    context.report(
      'one-of-keys',
      raw.place,
      `a request needs exactly one of get, post, execute; found ${kinds.join(' and ') || 'none'}`,
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
        `"${key}" does not go with "${kind}"`,
        didYouMean(key, allowed, ''),
      );
  }
  const headers = resolveHeaders([...(defaults?.headers ?? []), ...(raw.headers ?? [])], scope, context);
  const abort: Abort | null = raw.abort === undefined ? null : { afterBytes: raw.abort.afterBytes };
  const wanted: Placed<string> | undefined = raw[kind];
  const target = wanted === undefined ? '' : context.template(wanted, scope);
  if (kind === 'get') return { kind, path: target, headers, abort };
  if (kind === 'post')
    return { kind, path: target, headers, body: resolveBody(raw, step, scope, context), abort };
  return {
    kind,
    function: target,
    unlisted: raw.unlisted ?? false,
    arguments: resolveArguments(raw.arguments, scope, context),
    requestId: raw.requestId === undefined ? '' : context.template(raw.requestId, scope),
    headers,
    abort,
  };
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
  const rawPlace = raw.keyPlaces.raw ?? raw.place;
  if (typeof raw.raw === 'string')
    return { kind: 'text', text: context.template({ value: raw.raw, place: rawPlace }, scope), times: 1 };
  const { text, base64, times = 1, place, keyPlaces } = raw.raw;
  if (text !== undefined) context.template({ value: text, place: keyPlaces.text ?? place }, scope);
  if (Object.hasOwn(keyPlaces, 'text') === Object.hasOwn(keyPlaces, 'base64')) {
    context.report('one-of-keys', place, '`raw` needs exactly one of text, base64', 'Keep one of them.');
  }
  return base64 === undefined ? { kind: 'text', text: text ?? '', times } : { kind: 'base64', base64, times };
}
