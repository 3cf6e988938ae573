import os from 'node:os';

/** Who changes the directory, for its log. */
export interface AuthorFlags {
  readonly by?: string;
}

export function authorOf({ by }: AuthorFlags): string {
  return by ?? (userName() || 'unknown');
}

/** A user without an entry in the list of users, as in some containers, has none. */
function userName(): string {
  const { USER: named = '' } = process.env;
  if (named !== '') return named;
  try {
    return os.userInfo().username;
  } catch {
    return '';
  }
}
