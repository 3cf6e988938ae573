import { isJsonObject, type JsonObject } from '../validate-input.ts';
import { InputRequired, Rounds } from './input-required.ts';
import { capabilities, resultOf } from './methods.ts';
import { callerOf, isLogLevel, type LogLevel, type RequestOptions } from './protocol/caller.ts';
import type { Catalog } from './protocol/catalog.ts';
import { type Answer, errorAnswer, ProtocolError, type Request, resultAnswer } from './protocol/messages.ts';
import { capabilitiesKey, findMetadataProblem, type RequestHeaders, versionKey } from './request-metadata.ts';
import { sessionRevisions } from './session.ts';
import { listen } from './subscriptions.ts';

export const statelessRevision = '2026-07-28';

/** The newest first. A client that chooses one of a session sends `initialize`. */
const supportedVersions = [statelessRevision, ...sessionRevisions] as const;

const clientKey = 'io.modelcontextprotocol/clientInfo';
const logLevelKey = 'io.modelcontextprotocol/logLevel';
const serverKey = 'io.modelcontextprotocol/serverInfo';

/** In results that clients and proxies may keep: this server answers everybody the same. */
const cacheable = { ttlMs: 3_600_000, cacheScope: 'public' };
const cachedMethods: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** Whether a request belongs to this revision. One that lacks a part of the `_meta` of this revision does so too. */
export const isStateless = ({ params: { _meta } }: Request): boolean =>
  isJsonObject(_meta) && [versionKey, capabilitiesKey, clientKey].some((key) => Object.hasOwn(_meta, key));

/** Over standard streams there are no headers. */
export type StatelessOptions = RequestOptions & { readonly headers?: RequestHeaders };

/**
 * Answers one request of revision 2026-07-28, which has no sessions: every request carries in its `_meta` what would be
 * agreed on in a session.
 */
export const answerStateless = async (
  catalog: Catalog,
  request: Request,
  options: StatelessOptions,
): Promise<Answer> => {
  const { id, method } = request;
  const refusal = findMetadataProblem(catalog, request, supportedVersions, options.headers);
  if (refusal !== undefined) return errorAnswer(id, refusal, 400);
  try {
    // Its result has the id in `_meta`, with all digits.
    const member = method === 'subscriptions/listen' ? await listen(catalog, request, options) : undefined;
    const result = member === undefined ? await completeResult(catalog, request, options) : {};
    if (result === undefined)
      return errorAnswer(id, new ProtocolError('methodNotFound', `Unknown method: ${method}`), 404);
    const given = isJsonObject(result._meta) ? result._meta : {};
    const identified = { ...given, [serverKey]: catalog.identity };
    return resultAnswer(id, { resultType: 'complete', ...result, _meta: identified }, member);
  } catch (error) {
    const isUnanswerable = error instanceof ProtocolError && error.code === 'missingRequiredClientCapability';
    return errorAnswer(id, error, isUnanswerable ? 400 : 200);
  }
};

/** Undefined if the method is unknown. */
const completeResult = async (
  catalog: Catalog,
  request: Request,
  { outlet, signal }: StatelessOptions,
): Promise<JsonObject | undefined> => {
  const { method, params } = request;
  if (method === 'server/discover') return { supportedVersions, capabilities, ...cacheable };
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const declared = isJsonObject(meta[capabilitiesKey]) ? meta[capabilitiesKey] : {};
  const rounds = new Rounds(request, declared);
  const { caller, finish } = callerOf(request, {
    outlet,
    signal,
    minLevel: logLevelIn(meta),
    declared,
    ask: (questions) => rounds.ask(questions),
  });
  try {
    const result = await resultOf(catalog, request, statelessRevision, caller);
    return result !== undefined && cachedMethods.has(method) ? { ...cacheable, ...result } : result;
  } catch (error) {
    if (error instanceof InputRequired) return rounds.resultFor(error);
    throw error;
  } finally {
    finish();
  }
};

/** A request that names no level wants no messages. */
const logLevelIn = ({ [logLevelKey]: level }: JsonObject): LogLevel | undefined => {
  if (level === undefined || isLogLevel(level)) return level;
  throw new ProtocolError('invalidParams', `Unknown log level: ${String(level)}`);
};
