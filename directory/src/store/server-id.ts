/** Ids appear in paths without encoding. */
export const SERVER_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Ids that would clash with a path of the platform API. */
export const RESERVED_IDS: ReadonlySet<string> = new Set(['search']);
