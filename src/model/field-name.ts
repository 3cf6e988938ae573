/** The name of a header (RFC 9110, section 5.1). */
export const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
