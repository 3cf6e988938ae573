/** Apart, so that the command line is read without loading the client. */
export const DIRECTORY_VARIABLE = 'PROBITY_DIRECTORY';
export const KEY_VARIABLE = 'PROBITY_DIRECTORY_KEY';
