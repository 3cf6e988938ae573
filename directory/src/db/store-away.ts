import { StoreError } from './schema.ts';

/** Of connections: refused, ended, or not allowed now. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/**
 * PostgreSQL: connection exceptions, lack of connections, memory or disk, the intervention of an operator, and files that
 * cannot be read or written, such as those of a data folder that was removed.
 */
const STATES = /^(?:08|53|57P|58)/;
/** The pool and its clients give these no code. */
const WORDS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|the database system is )/i;

/** How long the service needs at least until it finds a store that is back. */
export const STORE_RETRY_SECONDS = 5;

/** Whether a statement failed because the store is away: it cannot be reached, or accepts nothing now. */
export function isStoreAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  // An error of the file system has such a code, too.
  if (NETWORK_CODES.has(code)) return code !== 'ENOENT' || syscall === 'connect';
  if (error instanceof AggregateError) return error.errors.some(isStoreAway);
  return STATES.test(code) || WORDS.test(error.message);
}

/** The error for the command line, whose remedy is of the operator. */
export function storeAwayError(error: unknown): unknown {
  if (!isStoreAway(error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new StoreError(
    `The store of the directory does not answer: ${message || code}. Check that its database runs, and has its files and free space on its disk, then run the command again; what was not confirmed was not stored.`,
  );
}
