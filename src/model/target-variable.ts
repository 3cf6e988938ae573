const PREFIX = 'PROBITY_TARGET_';

/**
 * The environment variable that may hold the bearer token of the server with this id, and the only one. A stranger's
 * listing that could name any variable would have whatever secret it holds sent to the stranger's server.
 */
export function targetVariable(id: string): string {
  return `${PREFIX}${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}
