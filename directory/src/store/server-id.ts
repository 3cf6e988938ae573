/** What an id may be: it stands in paths as it is. */
export const SERVER_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Paths of the platform API that an id would hide behind. */
export const RESERVED_IDS: ReadonlySet<string> = new Set(['search']);
