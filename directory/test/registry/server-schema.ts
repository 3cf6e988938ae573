import { Ajv } from 'ajv';

/** What this directory promises of each `server.json`: the parts of the schema of 2025-12-11 that clients read. */
const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const keyValues = {
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
};
const remote = {
  type: 'object',
  required: ['type', 'url'],
  properties: {
    type: { enum: ['streamable-http', 'sse'] },
    url: { type: 'string', pattern: '^(https?://[^\\s]+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}[^\\s]*)$' },
    headers: keyValues,
  },
};
const SERVER = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version'],
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: text(100),
    description: text(100),
    version: { type: 'string', maxLength: 255, not: { const: 'latest' } },
    websiteUrl: { type: 'string' },
    repository: {
      type: 'object',
      required: ['url', 'source'],
      properties: { url: { type: 'string' }, source: { type: 'string' } },
    },
    remotes: { type: 'array', items: remote },
    packages: {
      type: 'array',
      items: { type: 'object', required: ['registryType', 'identifier', 'transport'] },
    },
  },
};
const ANSWER = {
  type: 'object',
  required: ['server', '_meta'],
  properties: {
    server: SERVER,
    _meta: {
      type: 'object',
      required: ['io.modelcontextprotocol.registry/official', 'io.github.probity-mcp/directory'],
      properties: {
        'io.modelcontextprotocol.registry/official': {
          type: 'object',
          additionalProperties: false,
          required: ['status', 'publishedAt', 'updatedAt', 'isLatest'],
          properties: {
            status: { enum: ['active', 'deprecated', 'deleted'] },
            publishedAt: { type: 'string' },
            updatedAt: { type: 'string' },
            isLatest: { type: 'boolean' },
          },
        },
      },
    },
  },
};

const validate = new Ajv({ strict: false }).compile(ANSWER);

/** Why an answer is not valid; null if it is. */
export function whyInvalid(answer: unknown): string | null {
  return validate(answer) ? null : JSON.stringify(validate.errors);
}
