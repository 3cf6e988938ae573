import { createSchemaEvaluator, isJsonObject, type Json, type JsonObject, ownProperty } from 'probity/model';
import { SERVER_SCHEMA } from './server-answer.ts';

/** A document that follows the schema of 2025-12-11, so that it can be sent to clients. */
export interface ServerDocument {
  readonly name: string;
  readonly version: string;
  /** The document, with the address of this schema. */
  readonly document: JsonObject;
}

/** Large enough for a server with a hundred settings. */
const MAX_DOCUMENT_BYTES = 64 * 1024;

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean' };
const INPUT_MEMBERS = {
  description: TEXT,
  isRequired: FLAG,
  format: { enum: ['string', 'number', 'boolean', 'filepath'] },
  value: TEXT,
  isSecret: FLAG,
  default: TEXT,
  placeholder: TEXT,
  choices: { type: 'array', items: TEXT },
};
const VARIABLES = { type: 'object', additionalProperties: { type: 'object', properties: INPUT_MEMBERS } };
const WITH_VARIABLES = { ...INPUT_MEMBERS, variables: VARIABLES };
const KEY_VALUES = {
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { ...WITH_VARIABLES, name: TEXT } },
};
const ARGUMENTS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['type'],
    properties: { ...WITH_VARIABLES, name: TEXT, valueHint: TEXT, isRepeated: FLAG },
    anyOf: [
      { required: ['name'], properties: { type: { const: 'named' } } },
      { required: ['valueHint'], properties: { type: { const: 'positional' } } },
      { required: ['value'], properties: { type: { const: 'positional' } } },
    ],
  },
};
const WEB_TRANSPORT = {
  type: 'object',
  required: ['type', 'url'],
  properties: {
    type: { enum: ['streamable-http', 'sse'] },
    url: { type: 'string', pattern: '^(https?://[^\\s]+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}[^\\s]*)$' },
    headers: KEY_VALUES,
    variables: VARIABLES,
  },
};
const PACKAGE = {
  type: 'object',
  required: ['registryType', 'identifier', 'transport'],
  properties: {
    registryType: TEXT,
    registryBaseUrl: { type: 'string', pattern: '^https?://[^\\s]+$' },
    identifier: TEXT,
    version: { type: 'string', minLength: 1, not: { const: 'latest' } },
    fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
    runtimeHint: TEXT,
    runtimeArguments: ARGUMENTS,
    packageArguments: ARGUMENTS,
    environmentVariables: KEY_VALUES,
    transport: {
      anyOf: [
        { type: 'object', required: ['type'], properties: { type: { const: 'stdio' } } },
        WEB_TRANSPORT,
      ],
    },
  },
};
const ADDRESS = { type: 'string', pattern: '^https?://[^\\s]+$' };
// As the official registry accepts them, which wants more than its schema: no part is `..`, or begins or ends with a mark.
const NAME = '^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?/[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$';
const PUBLISHER_KEY = 'io.modelcontextprotocol.registry/publisher-provided';
const SERVER = {
  type: 'object',
  required: ['name', 'description', 'version'],
  properties: {
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: NAME },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    // It is part of addresses, and `latest` is a word of the API.
    version: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$', not: { const: 'latest' } },
    websiteUrl: ADDRESS,
    repository: {
      type: 'object',
      required: ['url', 'source'],
      properties: { url: ADDRESS, source: TEXT, id: TEXT, subfolder: TEXT },
    },
    icons: {
      type: 'array',
      items: {
        type: 'object',
        required: ['src'],
        properties: {
          src: { type: 'string', maxLength: 255, pattern: '^https?://[^\\s]+$' },
          mimeType: { enum: ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'] },
          sizes: { type: 'array', items: { type: 'string', pattern: '^(\\d+x\\d+|any)$' } },
          theme: { enum: ['light', 'dark'] },
        },
      },
    },
    packages: { type: 'array', items: PACKAGE },
    remotes: { type: 'array', items: WEB_TRANSPORT },
    _meta: {
      type: 'object',
      properties: { [PUBLISHER_KEY]: { type: 'object' } },
    },
  },
};

const evaluator = createSchemaEvaluator();

/** Reads a `server.json`, which anybody may have written. Pure. */
export function readServerJson(value: Json): ServerDocument | { readonly problem: string } {
  const verdict = evaluator.apply(SERVER, value);
  if (verdict.kind === 'undecided') return { problem: `it cannot be checked: ${verdict.reason}` };
  if (verdict.kind === 'invalid') {
    const { pointer, expected, received } = verdict.problem;
    return { problem: `${pointer === '' ? 'it' : pointer} must be ${expected}, not ${received}` };
  }
  if (!isJsonObject(value)) return { problem: 'it is not an object' };
  const document = withoutForeignMeta({ ...value, $schema: SERVER_SCHEMA });
  const bytes = Buffer.byteLength(JSON.stringify(document));
  if (bytes > MAX_DOCUMENT_BYTES)
    return { problem: `it has ${bytes} bytes; the maximum is ${MAX_DOCUMENT_BYTES}` };
  return {
    name: String(ownProperty(value, 'name')),
    version: String(ownProperty(value, 'version')),
    document,
  };
}

/** The only member that a publisher may add to `_meta`; others, such as ours, would be the words of a registry. */
function withoutForeignMeta({ _meta, ...document }: JsonObject): JsonObject {
  const provided = ownProperty(_meta, PUBLISHER_KEY);
  return provided === undefined ? document : { ...document, _meta: { [PUBLISHER_KEY]: provided } };
}
