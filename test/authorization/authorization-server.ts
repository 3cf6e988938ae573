import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Grant {
  readonly user: string;
  /** The resource for which it was issued. */
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Unix time in seconds. */
  readonly expiresAt: number;
}

type Document = Readonly<Record<string, unknown>>;

export interface AuthorizationServerOptions {
  /** Changes the metadata. */
  readonly metadata?: (usual: Document) => Document;
  /** Who logs in. */
  readonly user?: string;
  /** Sends the browser back with this error. */
  readonly refusal?: string;
}

export interface AuthorizationServer {
  readonly issuer: string;
  readonly metadata: Document;
  readonly grants: ReadonlyMap<string, Grant>;
  /** Issues a token without a login. */
  readonly issue: (grant: Partial<Grant> & Pick<Grant, 'audience'>) => string;
  /** The paths of all requests. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

const LIFETIME_S = 3600;

/** An authorization server with one user, who agrees to everything: registration, codes with PKCE, tokens. */
export async function startAuthorizationServer({
  metadata: change = (usual) => usual,
  user = 'ann',
  refusal,
}: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const grants = new Map<string, Grant>();
  const codes = new Map<
    string,
    { readonly challenge: string; readonly resource: string; readonly redirect: string }
  >();
  const clients = new Map<string, readonly string[]>([['registered-before', []]]);
  const requests: string[] = [];
  const issue: AuthorizationServer['issue'] = (grant) => {
    const token = `token-${randomUUID()}`;
    grants.set(token, { user, scopes: ['mcp'], expiresAt: Date.now() / 1000 + LIFETIME_S, ...grant });
    return token;
  };
  const json = (response: http.ServerResponse, status: number, value: unknown): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

  const authorize = (query: URLSearchParams, response: http.ServerResponse): void => {
    const redirect = query.get('redirect_uri') ?? '';
    const known = clients.get(query.get('client_id') ?? '');
    const mayRedirect = known !== undefined && (known.length === 0 || known.includes(redirect));
    if (!mayRedirect || query.get('code_challenge_method') !== 'S256')
      return void json(response, 400, { error: 'invalid_request' });
    const code = randomUUID();
    const [challenge, resource] = ['code_challenge', 'resource'].map((name) => query.get(name) ?? '');
    codes.set(code, { challenge: challenge ?? '', resource: resource ?? '', redirect });
    const back = new URL(redirect);
    back.searchParams.set('state', query.get('state') ?? '');
    back.searchParams.set('iss', issuer);
    if (refusal === undefined) back.searchParams.set('code', code);
    else back.searchParams.set('error', refusal);
    response.writeHead(302, { location: back.href }).end();
  };

  const token = (form: URLSearchParams, response: http.ServerResponse): void => {
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const verified = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined || verified !== code.challenge || form.get('redirect_uri') !== code.redirect)
      return void json(response, 400, { error: 'invalid_grant' });
    json(response, 200, {
      access_token: issue({ audience: code.resource }),
      token_type: 'Bearer',
      expires_in: LIFETIME_S,
    });
  };

  const server = http.createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    requests.push(pathname);
    if (pathname === '/.well-known/oauth-authorization-server/tenant') return json(response, 200, metadata);
    if (pathname === '/tenant/authorize') return authorize(searchParams, response);
    const body = await text(request);
    if (pathname === '/tenant/token') return token(new URLSearchParams(body), response);
    if (pathname !== '/tenant/register') return json(response, 404, { error: 'not_found' });
    const registered = JSON.parse(body) as { readonly redirect_uris: readonly string[] };
    const id = randomUUID();
    clients.set(id, registered.redirect_uris);
    json(response, 201, { ...registered, client_id: id });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenant`;
  const metadata = change({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { issuer, metadata, grants, issue, requests, close };
}
