import { isJsonObject } from '../validate-input.ts';
import { ProtocolError, type Request } from './protocol/messages.ts';

/** HTTP repeats some members of a request in headers, for those who do not read its body. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export const versionKey = 'io.modelcontextprotocol/protocolVersion';
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** What is wrong with the `_meta` of a request, and with the headers that repeat the request. */
export const findMetadataProblem = (
  request: Request,
  supportedVersions: readonly [string, ...string[]],
  headers: RequestHeaders | undefined,
): ProtocolError | undefined =>
  findMetaProblem(request, supportedVersions, headers) ?? findHeaderProblem(request, headers);

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
