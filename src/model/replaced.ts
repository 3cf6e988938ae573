/** In an answer of a bridge: the variables that stand for values which the server repeated, such as `API_KEY, REGION`. */
export const REPLACED_HEADER = 'probity-replaced';
