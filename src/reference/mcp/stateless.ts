import { serverIdentity } from '../functions.ts';
import { isJsonObject, type JsonObject } from '../validate-input.ts';
import { type Answer, errorAnswer, ProtocolError, type Request, resultAnswer } from './messages.ts';
import { capabilities, resultOf } from './methods.ts';
import { sessionRevisions } from './session.ts';

export const statelessRevision = '2026-07-28';

/** The newest first. A client that chooses one of a session sends `initialize`. */
const supportedVersions: readonly string[] = [statelessRevision, ...sessionRevisions];

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const clientKey = 'io.modelcontextprotocol/clientInfo';

/** In every result. */
const identified = { _meta: { 'io.modelcontextprotocol/serverInfo': serverIdentity } };

/** In results that clients and proxies may keep: this server answers everybody the same until it ends. */
const cacheable = { ttlMs: 3_600_000, cacheScope: 'public' };
const cachedMethods: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** HTTP repeats some members of a request in headers, for those who do not read its body. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Whether a request belongs to this revision. One that lacks a part of the `_meta` of this revision does so too. */
export const isStateless = ({ params: { _meta } }: Request): boolean =>
  isJsonObject(_meta) && [versionKey, capabilitiesKey, clientKey].some((key) => Object.hasOwn(_meta, key));

/**
 * Answers one request of revision 2026-07-28, which has no sessions: every request carries in its `_meta` what would be
 * agreed on in a session. Over standard streams there are no headers.
 */
export const answerStateless = async (
  request: Request,
  signal: AbortSignal | undefined,
  headers?: RequestHeaders,
): Promise<Answer> => {
  const { id, method } = request;
  const refusal = findMetaProblem(request, headers) ?? findHeaderProblem(request, headers);
  if (refusal !== undefined) return errorAnswer(id, refusal, 400);
  try {
    const result = await completeResult(request, signal);
    if (result === undefined)
      return errorAnswer(id, new ProtocolError('methodNotFound', `Unknown method: ${method}`), 404);
    return resultAnswer(id, { resultType: 'complete', ...result, ...identified });
  } catch (error) {
    return errorAnswer(id, error, 200);
  }
};

/** Undefined if the method is unknown. */
const completeResult = async (
  request: Request,
  signal: AbortSignal | undefined,
): Promise<JsonObject | undefined> => {
  const { method } = request;
  if (method === 'server/discover') return { supportedVersions, capabilities, ...cacheable };
  const result = await resultOf(request, statelessRevision, signal);
  return result !== undefined && cachedMethods.has(method) ? { ...result, ...cacheable } : result;
};

const findMetaProblem = (
  { params }: Request,
  headers: RequestHeaders | undefined,
): ProtocolError | undefined => {
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const version = meta[versionKey];
  const headerVersion = headers?.['mcp-protocol-version'];
  if (headers !== undefined && typeof version === 'string' && headerVersion !== version)
    return headerMismatch('MCP-Protocol-Version', version);
  // Before everything that another version may do otherwise.
  const requested = version ?? headerVersion;
  if (typeof requested === 'string' && requested !== statelessRevision)
    return new ProtocolError('unsupportedProtocolVersion', 'Unsupported protocol version', {
      supported: supportedVersions,
      requested,
    });
  if (typeof version !== 'string' || !isJsonObject(meta[capabilitiesKey]))
    return new ProtocolError('invalidParams', `_meta must have ${versionKey} and ${capabilitiesKey}.`);
  return undefined;
};

/** The member of a request that the header Mcp-Name repeats. */
const namedBy: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

const findHeaderProblem = (
  { method, params }: Request,
  headers: RequestHeaders | undefined,
): ProtocolError | undefined => {
  if (headers === undefined) return undefined;
  if (headers['mcp-method'] !== method) return headerMismatch('Mcp-Method', method);
  const member = namedBy.get(method);
  const name = member === undefined ? undefined : params[member];
  const isNamed = typeof name !== 'string' || decoded(headers['mcp-name']) === name;
  return isNamed ? undefined : headerMismatch('Mcp-Name', name);
};

const headerMismatch = (header: string, expected: string): ProtocolError =>
  new ProtocolError(
    'headerMismatch',
    `The header ${header} must be given, and be ${expected} as in the body.`,
  );

/** The value of a header; undefined if it is not of visible ASCII characters. Other texts are sent in base64. */
const decoded = (value: RequestHeaders[string]): string | undefined => {
  if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) return undefined;
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
};
