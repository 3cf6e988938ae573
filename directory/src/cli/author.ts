import os from 'node:os';
import { UsageError } from 'probity/command-line';

/** Who changes the directory, for its log. */
export interface AuthorFlags {
  readonly by?: string;
}

const MAX_NAME_CHARACTERS = 200;

export function authorOf({ by }: AuthorFlags): string {
  if (by === undefined) return userName() || 'unknown';
  if (by.trim() === '' || by.length > MAX_NAME_CHARACTERS)
    throw new UsageError(`--by must be a name of 1 to ${MAX_NAME_CHARACTERS} characters.`);
  return by;
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
