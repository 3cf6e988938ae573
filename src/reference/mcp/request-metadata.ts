import { isJsonObject, type JsonObject } from '../validate-input.ts';
import type { Catalog } from './protocol/catalog.ts';
import { ProtocolError, type Request } from './protocol/messages.ts';

/** HTTP repeats some members of a request in headers, for those who do not read its body. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export const versionKey = 'io.modelcontextprotocol/protocolVersion';
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** What is wrong with the `_meta` of a request, and with the headers that repeat the request. */
export const findMetadataProblem = (
  catalog: Catalog,
  request: Request,
  supportedVersions: readonly [string, ...string[]],
  headers: RequestHeaders | undefined,
): ProtocolError | undefined =>
  findMetaProblem(request, supportedVersions, headers) ??
  (headers === undefined
    ? undefined
    : (findHeaderProblem(request, headers) ?? findParameterProblem(catalog, request, headers)));

const findMetaProblem = (
  { params }: Request,
  supportedVersions: readonly [string, ...string[]],
  headers: RequestHeaders | undefined,
): ProtocolError | undefined => {
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const version = meta[versionKey];
  const headerVersion = headers?.['mcp-protocol-version'];
  if (headers !== undefined && typeof version === 'string' && headerVersion !== version)
    return headerMismatch('MCP-Protocol-Version', version);
  // Before everything that another version may do otherwise.
  const requested = version ?? headerVersion;
  if (typeof requested === 'string' && requested !== supportedVersions[0])
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
  headers: RequestHeaders,
): ProtocolError | undefined => {
  if (headers['mcp-method'] !== method) return headerMismatch('Mcp-Method', method);
  const member = namedBy.get(method);
  const name = member === undefined ? undefined : params[member];
  const isNamed = typeof name !== 'string' || decoded(headers['mcp-name']) === name;
  return isNamed ? undefined : headerMismatch('Mcp-Name', name);
};

/** A tool can have parameters that headers repeat: `x-mcp-header` in their schemas names the headers. */
const findParameterProblem = (
  { tools }: Catalog,
  { method, params }: Request,
  headers: RequestHeaders,
): ProtocolError | undefined => {
  const tool = method === 'tools/call' ? tools.find(({ listed }) => listed.name === params.name) : undefined;
  const input = isJsonObject(params.arguments) ? params.arguments : {};
  for (const { header, value } of repeatedIn(tool?.listed.inputSchema, input)) {
    const given = headers[`mcp-param-${header.toLowerCase()}`];
    // What is missing or null has no header.
    const isSame = value === undefined || value === null ? given === undefined : repeats(given, value);
    if (!isSame) return headerMismatch(`Mcp-Param-${header}`, JSON.stringify(value) ?? 'left out');
  }
  return undefined;
};

/** The headers that a schema names, with the values of an input that they repeat. */
const repeatedIn = (
  schema: unknown,
  input: JsonObject,
): readonly { readonly header: string; readonly value: unknown }[] => {
  const properties = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {};
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return [];
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    const header = property['x-mcp-header'];
    const own = typeof header === 'string' ? [{ header, value }] : [];
    return [...own, ...repeatedIn(property, isJsonObject(value) ? value : {})];
  });
};

const repeats = (given: RequestHeaders[string], value: unknown): boolean => {
  const text = decoded(given);
  // 42.0 is the same number as 42.
  return typeof value === 'number' ? text?.trim() !== '' && Number(text) === value : text === String(value);
};

const headerMismatch = (header: string, expected: string): ProtocolError =>
  new ProtocolError('headerMismatch', `The header ${header} must be ${expected}, as in the body.`);

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The text of a header; undefined if it is not of visible ASCII characters. Other texts are sent in base64. */
const decoded = (value: RequestHeaders[string]): string | undefined => {
  if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) return undefined;
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  return base64.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
};
