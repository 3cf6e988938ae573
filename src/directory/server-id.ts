/** What an id may be: it stands in paths as it is. */
export const SERVER_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
