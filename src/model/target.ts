import { parseUrl } from '../text/parse-url.ts';

/** The address of a target: `{server_url}` of the specification, without a trailing slash. */
export interface Target {
  readonly url: string;
}

export type ParsedTarget =
  | { readonly target: Target }
  | { readonly problem: string; readonly remedy: string };

const OPERATION_PATH = /\/(health|capabilities|execute)\/?$/;

/** Parses what a user gives as a target. Pure. */
export function parseTarget(text: string): ParsedTarget {
  const url = parseUrl(text);
  // Without a user name and password.
  const shown = text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/@]*@/i, '$1');
  if (url === null) return { problem: `"${shown}" is not a URL`, remedy: remedyFor(shown) };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const remedy = /^[a-z0-9.-]+:\d+/i.test(text)
      ? `Did you mean http://${shown}?`
      : 'Give a URL that starts with http:// or https://.';
    return { problem: `"${shown}" is not an http or https URL`, remedy };
  }
  if (url.username !== '' || url.password !== '') {
    return {
      problem: 'the URL carries a user name or password',
      remedy: 'Leave them out, and give what the server needs with `headers` or `bearerToken`.',
    };
  }
  if (url.search !== '' || url.hash !== '') {
    return {
      problem: `the URL carries ${url.search === '' ? 'a fragment' : 'a query'}`,
      remedy: 'Give only the base address; /health, /capabilities and /execute are added to it.',
    };
  }
  const operation = OPERATION_PATH.exec(url.pathname);
  if (operation !== null) {
    const base = `${url.origin}${url.pathname.slice(0, operation.index)}`;
    return {
      problem: `the URL ends in /${operation[1]}, which is added by the check itself`,
      remedy: `Give the base address: ${base}`,
    };
  }
  return { target: { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}` } };
}

const ONLY_A_PORT = /^:?(\d{1,5}(?:\/.*)?)$/;

function remedyFor(shown: string): string {
  const [, port] = ONLY_A_PORT.exec(shown) ?? [];
  const meant = port === undefined ? `http://${shown}` : `http://localhost:${port}`;
  return !/\s|:\/\//.test(shown) && parseUrl(meant) !== null
    ? `Did you mean ${meant}?`
    : 'Give a URL such as http://127.0.0.1:3000.';
}

/** Values of a record's `transport` (specification, section 2.1). */
export const TRANSPORTS = ['http', 'websocket'] as const;
export type Transport = (typeof TRANSPORTS)[number];

const PREFIX = 'PROBITY_TARGET_';

/**
 * The environment variable that may hold the bearer token of the server with this id, and the only one. If an untrusted
 * listing could name any variable, the secret in it would be sent to an untrusted server.
 */
export function targetVariable(id: string): string {
  return `${PREFIX}${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}
