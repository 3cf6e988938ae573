import { type GateOptions, gate, TOKEN } from '../../authorization/gate.ts';
import type { Mutant } from './mcp-mutants.ts';

const EXPIRED = 'probity-test-token-4712-expired';
const FOREIGN = 'probity-test-token-4713-foreign';

/** A server that wants a token, which the check has. */
const gated = (
  requirement: string,
  what: string,
  options: GateOptions,
  more: Pick<Mutant, 'also' | 'era' | 'options'> = {},
): Mutant => ({
  requirement: `mcp/auth-${requirement}`,
  what,
  subject: () => ({ only: ['add'], intercept: gate(options) }),
  channel: 'http',
  options: { bearerToken: TOKEN },
  ...more,
});

const without = (challenge: string, name: string): string =>
  challenge.replace(new RegExp(`(?:, )?${name}="[^"]*"`), '').replace('Bearer , ', 'Bearer ');

/** Mutants of the rows about authorization. */
export const AUTHORIZATION_MUTANTS: readonly Mutant[] = [
  gated('challenge', 'refuses without a challenge', { refusal: ({ status }) => ({ status, headers: {} }) }),
  gated('challenge', 'puts no commas between the parameters of its challenge', {
    challenge: (usual) => usual.replaceAll('", ', '" '),
  }),
  gated('challenge', 'names the metadata without quotation marks', {
    challenge: (usual) => usual.replace(/(resource_metadata=)"([^"]*)"/, '$1$2'),
  }),
  gated('metadata-found', 'publishes no metadata', {
    challenge: (usual) => without(usual, 'resource_metadata'),
    resource: () => null,
  }),
  gated('metadata-valid', 'names metadata that do not exist', { resource: () => null }),
  gated('metadata-valid', 'names no resource', { resource: ({ resource: _, ...others }) => others }),
  gated('metadata-valid', 'names no authorization server', {
    resource: (usual) => ({ ...usual, authorization_servers: [] }),
  }),
  gated('metadata-valid', 'names an authorization server without TLS', {
    resource: (usual) => ({ ...usual, authorization_servers: ['http://login.example.com'] }),
  }),
  gated('metadata-valid', 'names metadata at an address without TLS', {
    challenge: (usual) => usual.replace('http://127.0.0.1', 'http://example.com'),
  }),
  gated('resource', 'names another endpoint as the resource', {
    resource: (usual, base) => ({ ...usual, resource: `${base}/other` }),
  }),
  gated('resource', 'names an endpoint below it as the resource', {
    resource: (usual, base) => ({ ...usual, resource: `${base}/mcp/below` }),
  }),
  gated('scope', 'has scopes and names none in its challenge', {
    challenge: (usual) => without(usual, 'scope'),
  }),
  gated('offline-access', 'has offline_access among its scopes', {
    resource: (usual) => ({ ...usual, scopes_supported: ['mcp', 'offline_access'] }),
  }),
  gated('offline-access', 'asks for offline_access in its challenge', {
    challenge: (usual) => usual.replace('scope="mcp"', 'scope="mcp offline_access"'),
  }),
  gated('server-metadata', 'has an authorization server without metadata', { server: () => null }),
  gated('server-issuer', 'has an authorization server whose issuer ends in a slash', {
    server: (usual) => ({ ...usual, issuer: `${usual.issuer}/` }),
  }),
  gated('server-pkce', 'has an authorization server that does not advertise PKCE', {
    server: ({ code_challenge_methods_supported: _, ...others }) => others,
  }),
  gated('server-pkce', 'has an authorization server with the method plain only', {
    server: (usual) => ({ ...usual, code_challenge_methods_supported: ['plain'] }),
  }),
  gated('server-https', 'has a token endpoint without TLS', {
    server: (usual) => ({ ...usual, token_endpoint: 'http://login.example.com/token' }),
  }),
  gated('unauthorized', 'refuses a request without a token with 403', {
    refusal: (usual, token) => ({ ...usual, status: token === undefined ? 403 : 401 }),
  }),
  gated('changed-token', 'accepts every token', { accepts: () => true }),
  gated('changed-token', 'refuses an unknown token with 403', {
    refusal: (usual, token) =>
      token === undefined ? usual : { status: 403, headers: { 'www-authenticate': 'Bearer' } },
  }),
  gated(
    'expired-token',
    'accepts a token that has expired',
    { accepts: (token) => [TOKEN, EXPIRED].includes(token) },
    { options: { bearerToken: TOKEN, bearerTokens: { expired: EXPIRED } } },
  ),
  gated(
    'other-audience',
    'accepts a token for another server',
    { accepts: (token) => [TOKEN, FOREIGN].includes(token) },
    { options: { bearerToken: TOKEN, bearerTokens: { otherAudience: FOREIGN, expired: EXPIRED } } },
  ),
  gated('error-status', 'gives an invalid token as the error of a refusal for lack of a scope', {
    challenge: (usual) => `${usual.replace(/, error=.*/, '')}, error="insufficient_scope"`,
  }),
];
