import type http from 'node:http';
import type { HttpAnswer, HttpHead } from '../mcp/http-subject.ts';

/** What a gate lets through. */
export const TOKEN = 'probity-test-token-4711-first';

type Document = Readonly<Record<string, unknown>>;

/** What the gate of a server says and does wrong; nothing by default. */
export interface GateOptions {
  /** Whether a token gives access; default: only `TOKEN`. */
  readonly accepts?: (token: string) => boolean;
  /** The answer to a request without access. */
  readonly refusal?: (usual: HttpHead, token: string | undefined) => HttpHead;
  /** The parameters of the challenge. */
  readonly challenge?: (usual: string, base: string) => string;
  /** The metadata of the protected resource; null: none. */
  readonly resource?: (usual: Document, base: string) => Document | null;
  /** The metadata of the authorization server; null: none. */
  readonly server?: (usual: Document, base: string) => Document | null;
  /** Where the metadata of the resource are. */
  readonly at?: string;
}

const found = (document: Document | null): HttpAnswer =>
  document === null
    ? { status: 404 }
    : { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(document) };

/** Intercepts requests as the middleware of a server does that is protected by OAuth, and has an authorization server. */
export function gate({
  accepts = (token) => token === TOKEN,
  refusal = (usual) => usual,
  challenge = (usual) => usual,
  resource = (usual) => usual,
  server = (usual) => usual,
  at = '/.well-known/oauth-protected-resource/mcp',
}: GateOptions = {}): (request: http.IncomingMessage) => HttpAnswer | null {
  return ({ headers, url }) => {
    const base = `http://${headers.host}`;
    const issuer = `${base}/login`;
    if (url === at)
      return found(
        resource(
          { resource: `${base}/mcp`, authorization_servers: [issuer], scopes_supported: ['mcp'] },
          base,
        ),
      );
    if (url === '/.well-known/oauth-authorization-server/login')
      return found(
        server(
          {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            response_types_supported: ['code'],
            code_challenge_methods_supported: ['S256'],
          },
          base,
        ),
      );
    if (url !== '/mcp') return { status: 404 };
    const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
    if (token !== undefined && accepts(token)) return null;
    const error = token === undefined ? '' : ', error="invalid_token"';
    const usual = `Bearer resource_metadata="${base}${at}", scope="mcp"${error}`;
    return refusal({ status: 401, headers: { 'www-authenticate': challenge(usual, base) } }, token);
  };
}
