import { required } from '../model/arguments.ts';
import { isLoopback } from '../text/loopback.ts';
import { parseUrl } from '../text/parse-url.ts';
import { DirectoryError } from './directory-error.ts';
import { CLIENT_OPTIONS, type DirectoryClientOptions, refuseArguments } from './options.ts';

/**
 * The base address of a directory, without a slash at its end. Refuses options that are invalid, and those that would
 * expose the key or that cannot be sent. Pure.
 */
export function baseUrlOf(options: DirectoryClientOptions): string {
  refuseArguments('createDirectoryClient', { options }, { options: required(CLIENT_OPTIONS) });
  const { apiKey, allowInsecure = false } = options;
  const url = parseUrl(options.baseUrl);
  const problem = problemOf(url);
  // Not quoted, because an invalid address may contain a password.
  if (url === null || problem !== null)
    throw new DirectoryError(
      `The base address of the directory ${problem}. Use the address from its operator, such as https://directory.example/v1.`,
      { code: 'bad-base-url' },
    );
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new DirectoryError(
      apiKey === ''
        ? 'The API key of the directory is empty. Set the key from its operator.'
        : 'The API key of the directory has a character that is not allowed in a header. Remove spaces and line breaks at its end.',
      { code: 'bad-key' },
    );
  if (url.protocol === 'http:' && !allowInsecure && !isLoopback(url.hostname))
    throw new DirectoryError(
      `The address of the directory ${url.origin} is http, which exposes the API key to the network. Use its https address; or, if you trust the network, set \`allowInsecure\`.`,
      { code: 'insecure' },
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function problemOf(url: URL | null): string | null {
  if (url === null || !/^https?:$/.test(url.protocol)) return 'is not an http or https URL';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password';
  return url.search !== '' || url.hash !== '' ? 'contains a query or a fragment' : null;
}

export function pathOf(id: string): string {
  if (typeof id === 'string' && !/^(\.{0,2})$/.test(id)) return `/servers/${encodeURIComponent(id)}`;
  throw new DirectoryError(
    `${JSON.stringify(id)} is not a valid server id. Use the id of a record from a search.`,
    { code: 'bad-argument' },
  );
}

/** In the order of the names; the values of a list are repeated. */
export function parametersOf(names: readonly string[], given: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const name of names)
    for (const value of [given[name] ?? []].flat()) if (value !== '') parameters.append(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}
