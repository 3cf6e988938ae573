import { badParameters, type ParameterProblem, type Problem } from '../http/problem.ts';

export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1000;
export const MAX_CURSOR_LENGTH = 400;

export interface GivenPage {
  readonly cursor: string | null;
  readonly limit: number;
}

/** Reads `cursor` and `limit` of an operation that answers with a page. */
export function pageParameters(
  operation: string,
): (
  given: ReadonlyMap<string, readonly string[]>,
) => { readonly value: GivenPage } | { readonly error: Problem } {
  return (given) => {
    const problems: ParameterProblem[] = [];
    for (const [parameter, values] of given) {
      if (parameter !== 'cursor' && parameter !== 'limit')
        problems.push({ parameter, detail: `is not a parameter of ${operation}; use cursor, limit` });
      else if (values.length > 1) problems.push({ parameter, detail: 'is given more than once' });
    }
    const limitText = given.get('limit')?.[0] ?? '';
    const limit = limitText === '' ? DEFAULT_LIMIT : /^\d{1,6}$/.test(limitText) ? Number(limitText) : 0;
    if (limit < 1 || limit > MAX_LIMIT)
      problems.push({ parameter: 'limit', detail: `must be a whole number from 1 to ${MAX_LIMIT}` });
    const cursor = given.get('cursor')?.[0] ?? '';
    if (cursor.length > MAX_CURSOR_LENGTH)
      problems.push({ parameter: 'cursor', detail: `is longer than ${MAX_CURSOR_LENGTH} characters` });
    if (problems.length > 0) return { error: badParameters(problems) };
    return { value: { cursor: cursor === '' ? null : cursor, limit } };
  };
}
