/** The states of an entry of a directory. In a file of its own, because the command line names them without schemas. */
export const SERVER_STATUSES = ['up', 'down', 'gated', 'paused', 'undecided', 'stale', 'unknown'] as const;
export type ServerStatus = (typeof SERVER_STATUSES)[number];
