/** What the JSON Schemas of several operations are made of. */

export const text = { type: 'string' } as const;
export const timestamp = { type: 'string', format: 'date-time', description: 'ISO 8601, UTC.' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const milliseconds = { type: 'number', minimum: 0, description: 'Milliseconds.' } as const;

export const serverIdParameters = {
  type: 'object',
  required: ['serverId'],
  properties: { serverId: { type: 'string', description: 'The id of a server record.' } },
} as const;
