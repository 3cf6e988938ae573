/** The parameters of a path that names a server. */
export const serverPath = {
  type: 'object',
  required: ['serverId'],
  properties: { serverId: { type: 'string', description: 'The id of a server record.' } },
} as const;
export interface ServerPath {
  readonly serverId: string;
}
