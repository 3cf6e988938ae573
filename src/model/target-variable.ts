const PREFIX = 'PROBITY_TARGET_';

/**
 * The environment variable that may hold the bearer token of the server with this id, and the only one. If an untrusted
 * listing could name any variable, the secret in it would be sent to an untrusted server.
 */
export function targetVariable(id: string): string {
  return `${PREFIX}${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}
