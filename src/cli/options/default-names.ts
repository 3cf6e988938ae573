export const DEFAULT_CONFIG = 'probity.config.yaml';

/** In a separate file, so that parsing the command line does not load the client. */
export const DIRECTORY_VARIABLE = 'PROBITY_DIRECTORY';
export const KEY_VARIABLE = 'PROBITY_DIRECTORY_KEY';
