import { type Exchange, type Header, headerValues } from '../../model/exchange.ts';
import { isMessage } from './answer.ts';

// Where a server over HTTP says how a token for it is obtained: the challenge of a refusal (RFC 9110), the metadata of the
// protected resource (RFC 9728), and those of its authorization servers (RFC 8414, OpenID Connect Discovery).

/** A way to authenticate that a refusal offers. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

export interface ReadChallenges {
  readonly challenges: readonly Challenge[];
  /** Where the header breaks the grammar of RFC 9110, section 11; null for a valid one. */
  readonly problem: string | null;
}

const SCHEME = /[\s,]*([!#$%&'*+.^_`|~\dA-Za-z-]+)(?=[\s,]|$)/y;
const TOKEN_68 = / +[\w.~+/-]+=*(?=[ \t]*(?:,|$))/y;
const PARAMETER = /([\s,]*)([!#$%&'*+.^_`|~\dA-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/y;
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** Reads what it can, as clients do, and says what is wrong with the rest. */
export function challengesIn(headers: readonly Header[]): ReadChallenges {
  const text = headerValues(headers, 'www-authenticate').join(', ');
  const challenges: Challenge[] = [];
  let problem: string | null = null;
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  for (let scheme = next(SCHEME); scheme !== null; scheme = next(SCHEME)) {
    const parameters = new Map<string, string>();
    challenges.push({ scheme: String(scheme[1]).toLowerCase(), parameters });
    if (next(TOKEN_68) !== null) continue;
    for (let found = next(PARAMETER); found !== null; found = next(PARAMETER)) {
      const [, between = '', name = '', quoted, plain = ''] = found;
      if (parameters.size > 0 && !between.includes(',')) problem ??= `no comma before ${name}`;
      if (quoted === undefined && !TOKEN.test(plain))
        problem ??= `the value of ${name} needs quotation marks`;
      parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
    }
  }
  const rest = text.slice(at).replace(/^[\s,]+/, '');
  if (rest !== '') problem ??= `it cannot be read from ${JSON.stringify(rest.slice(0, 40))} on`;
  return { challenges, problem };
}

export function bearerIn(headers: readonly Header[]): Challenge | undefined {
  return challengesIn(headers).challenges.find(({ scheme }) => scheme === 'bearer');
}

/** Answers to messages that refuse them for lack of a token, or because of it. */
export function refusalsIn(exchanges: readonly Exchange[]) {
  return exchanges.filter(
    (one): one is Extract<Exchange, { kind: 'answered' }> =>
      one.kind === 'answered' && isMessage(one) && one.response.status === 401,
  );
}

/** The address of the metadata that the first of the refusals names; null if none does. */
export function namedMetadata(exchanges: readonly Exchange[]): string | null {
  const named = refusalsIn(exchanges).flatMap(
    ({ response }) => bearerIn(response.headers)?.parameters.get('resource_metadata') ?? [],
  );
  return named[0] ?? null;
}

/** Whether a server belongs to a resource: it has its address, or one below it. */
export function isOfResource(serverUrl: string, resource: string): boolean {
  const [server, named] = [serverUrl, resource].map(partsOf);
  return server?.origin === named?.origin && `${server?.path}/`.startsWith(`${named?.path}/`);
}

/** Where clients look for the metadata of a server whose challenge names no address: below its path, then at the root. */
export function resourceMetadataUrls(targetUrl: string): readonly string[] {
  const { origin, path } = partsOf(targetUrl);
  const root = `${origin}/.well-known/oauth-protected-resource`;
  return path === '' ? [root] : [root + path, root];
}

/** Where clients look for the metadata of an authorization server, in this order. */
export function serverMetadataUrls(issuer: string): readonly string[] {
  const { origin, path } = partsOf(issuer);
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/** A URL without its query, and its path without the slash at the end. */
function partsOf(url: string): { readonly origin: string; readonly path: string } {
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname.replace(/\/+$/, '') };
}
