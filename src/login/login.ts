import { randomBytes } from 'node:crypto';
import {
  type AuthorizationServerMetadata,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  type OAuthClientInformation,
  type OAuthProtectedResourceMetadata,
  registerClient,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { ExpectedError } from '../model/expected-error.ts';
import type { GuardedFetch } from '../probe/guarded-fetch.ts';
import { isOfResource } from '../wires/mcp/authorization.ts';
import type { RedirectListener } from './redirect-listener.ts';

// Obtains a token for a server of the Model Context Protocol as its clients do: finds the authorization server in the
// metadata of the server, registers as a client, lets the user log in with a browser, and exchanges the code for a token.
// The functions of the official SDK do each step. Nothing is stored.

/** Why no token can be obtained, with what to do. */
export class LoginError extends ExpectedError {
  override readonly name = 'LoginError';
}

export interface LoginOptions {
  readonly serverUrl: string;
  /** What the challenge of the server says. */
  readonly challenge: { readonly metadataUrl: string | null; readonly scope: string | null };
  readonly fetch: GuardedFetch['fetch'];
  readonly listener: RedirectListener;
  /** Of a client that is registered already; null: registers one. */
  readonly client: { readonly id: string; readonly secret: string | null } | null;
  /** Null: what the server asks for. */
  readonly scope: string | null;
  /** Called with the address at which the user logs in. */
  readonly onAddress: (address: string) => void;
  readonly signal: AbortSignal;
}

/** The access token. */
export async function login(options: LoginOptions): Promise<string> {
  const { serverUrl, listener, fetch, challenge, signal } = options;
  const resource = await resourceOf(options);
  if (resource !== null && !isOfResource(serverUrl, resource.resource))
    throw new LoginError(
      `The metadata are those of ${resource.resource}, not of ${serverUrl}. Use the address that the metadata name, or fix \`resource\` in them.`,
    );
  const issuer = resource?.authorization_servers?.[0] ?? new URL('/', serverUrl).href;
  const metadata = await metadataOf(issuer, fetch);
  const scope = options.scope ?? challenge.scope ?? resource?.scopes_supported?.join(' ');
  const clientInformation = await clientOf(issuer, metadata, scope, options);
  const common = {
    metadata,
    clientInformation,
    redirectUrl: listener.url,
    resource: resource?.resource ?? serverUrl,
  };
  const state = randomBytes(24).toString('base64url');
  const { authorizationUrl, codeVerifier } = await trying('The login cannot be started', () =>
    startAuthorization(issuer, { ...common, state, ...(scope === undefined ? {} : { scope }) }),
  );
  const arrived = listener.redirected(state, signal);
  options.onAddress(authorizationUrl.href);
  const query = await arrived;
  const iss = query.get('iss') ?? undefined;
  const code = query.get('code');
  if (code === null) throw refusalIn(query, metadata);
  const tokens = await trying('The authorization server gave no token', () =>
    exchangeAuthorization(issuer, {
      ...common,
      redirectUri: listener.url,
      authorizationCode: code,
      codeVerifier,
      fetchFn: fetch,
      ...(iss === undefined ? {} : { iss }),
    }),
  );
  return tokens.access_token;
}

/** Null for a server without such metadata, which has an authorization server at its own address (revision 2025-03-26). */
async function resourceOf({
  serverUrl,
  challenge,
  fetch,
}: LoginOptions): Promise<OAuthProtectedResourceMetadata | null> {
  const { metadataUrl } = challenge;
  const named = metadataUrl === null ? {} : { resourceMetadataUrl: metadataUrl };
  try {
    return await discoverOAuthProtectedResourceMetadata(serverUrl, named, fetch);
  } catch (error) {
    if (metadataUrl === null) return null;
    throw new LoginError(`The metadata at ${metadataUrl} cannot be read: ${wordsOf(error)}.`, {
      cause: error,
    });
  }
}

async function metadataOf(
  issuer: string,
  fetch: LoginOptions['fetch'],
): Promise<AuthorizationServerMetadata> {
  const metadata = await trying(`The metadata of the authorization server ${issuer} cannot be used`, () =>
    discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch }),
  );
  if (metadata === undefined)
    throw new LoginError(
      `The authorization server ${issuer} publishes no metadata, so that it is not known where to log in. Get a token in another way, and pass it with --bearer-env.`,
    );
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw new LoginError(
      `The authorization server ${issuer} does not advertise PKCE with S256, without which clients must not log in. Add "code_challenge_methods_supported": ["S256"] to its metadata.`,
    );
  return metadata;
}

async function clientOf(
  issuer: string,
  metadata: AuthorizationServerMetadata,
  scope: string | undefined,
  { client, listener, fetch }: LoginOptions,
): Promise<OAuthClientInformation> {
  if (client !== null)
    return { client_id: client.id, ...(client.secret === null ? {} : { client_secret: client.secret }) };
  if (metadata.registration_endpoint === undefined)
    throw new LoginError(
      `The authorization server ${issuer} lets no clients register themselves. Register one there with the redirect address http://127.0.0.1:PORT/callback, and pass its id with --client-id and the port with --port.`,
    );
  const clientMetadata = {
    client_name: 'Probity',
    redirect_uris: [listener.url],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
  return trying(`The authorization server ${issuer} refused to register a client`, () =>
    registerClient(issuer, {
      metadata,
      clientMetadata,
      fetchFn: fetch,
      ...(scope === undefined ? {} : { scope }),
    }),
  );
}

/** What an error says is shown only if it comes from the server that the user was sent to (RFC 9207). */
function refusalIn(query: URLSearchParams, metadata: AuthorizationServerMetadata): LoginError {
  try {
    validateAuthorizationResponseIssuer({
      iss: query.get('iss') ?? undefined,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch (error) {
    return new LoginError('The browser came back from another authorization server. Log in again.', {
      cause: error,
    });
  }
  const said = [query.get('error'), query.get('error_description')]
    .filter((text) => text !== null)
    .join(': ');
  return new LoginError(`The authorization server gave no code: ${said === '' ? 'it said nothing' : said}.`);
}

async function trying<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new LoginError(`${what}: ${wordsOf(error)}.`, { cause: error });
  }
}

function wordsOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: unknown };
  const inner = cause === undefined ? '' : ` (${wordsOf(cause)})`;
  return `${String(message).replace(/\.$/, '')}${inner}`;
}
