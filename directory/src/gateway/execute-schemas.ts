/** JSON Schemas of what the gateway takes and gives; the OpenAPI document is made from them. */

export const executeHeaders = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Names a call that is meant to be made once: given again with the same server, function and input, the answer is the first one, and the function does not run again. Remembered for 24 hours.',
    },
  },
} as const;

export const executeBody = {
  type: 'object',
  required: ['function'],
  additionalProperties: false,
  properties: {
    function: { type: 'string', minLength: 1, description: 'A name that the server’s capabilities list.' },
    input: {
      type: 'object',
      additionalProperties: true,
      default: {},
      description: 'The named parameters of the function.',
    },
  },
} as const;

export const executeAnswer = {
  type: 'object',
  required: ['output', 'server', 'function', 'requestId', 'durationMs'],
  properties: {
    output: {
      type: 'object',
      additionalProperties: true,
      description: 'What the function gave: form A’s output, form B’s result.',
    },
    server: { type: 'string', description: 'The id of the server.' },
    function: { type: 'string' },
    requestId: { type: 'string', description: 'Of this call; a server of form B was given it.' },
    durationMs: {
      type: 'number',
      minimum: 0,
      description: 'How long the server took to answer, the way to it included.',
    },
    executionTime: {
      type: 'number',
      minimum: 0,
      description: 'Milliseconds that the server says the function took; form B only.',
    },
  },
} as const;
