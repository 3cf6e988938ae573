import { describe, expect, it, onTestFinished } from 'vitest';
import { LoginError, login } from '../../src/login/login.ts';
import { listenForRedirect } from '../../src/login/redirect-listener.ts';
import { createGuardedFetch } from '../../src/probe/guarded-fetch.ts';
import type { AuthorizationServerOptions } from './authorization-server.ts';
import { type ProtectedServer, startProtectedServer } from './protected-server.ts';

type Given = Partial<Pick<Parameters<typeof login>[0], 'client' | 'scope' | 'challenge' | 'serverUrl'>>;

/** Logs in with a browser that follows each redirect at once, or does what is given. */
async function logIn(
  server: ProtectedServer,
  given: Given = {},
  browse: (address: string) => Promise<unknown> = (address) => fetch(address),
) {
  const guarded = createGuardedFetch({
    publicOnly: false,
    ca: null,
    viaProxy: false,
    connectTimeoutMs: 5000,
    maxBytes: 100_000,
  });
  const listener = await listenForRedirect(0);
  onTestFinished(async () => {
    listener.close();
    await guarded.close();
  });
  const pages: Promise<unknown>[] = [];
  const token = await login({
    serverUrl: server.url,
    challenge: { metadataUrl: null, scope: 'mcp' },
    fetch: guarded.fetch,
    listener,
    client: null,
    scope: null,
    onAddress: (address) => void pages.push(browse(address)),
    signal: new AbortController().signal,
    ...given,
  });
  await Promise.all(pages);
  return token;
}

async function protectedServer(server: AuthorizationServerOptions = {}): Promise<ProtectedServer> {
  const started = await startProtectedServer({ server });
  onTestFinished(started.close);
  return started;
}

const without = (name: string) => (usual: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(usual).filter(([key]) => key !== name));

describe('a login', () => {
  it('registers a client, and gets a token that the server accepts', async () => {
    const server = await protectedServer();
    const token = await logIn(server);
    expect(server.login.grants.get(token)).toMatchObject({ user: 'ann', audience: server.url });
    expect(server.login.requests).toEqual([
      '/.well-known/oauth-authorization-server/tenant',
      '/tenant/register',
      '/tenant/authorize',
      '/tenant/token',
    ]);
    const answer = await fetch(server.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).toBe(200);
  });

  it('uses a client that is registered already', async () => {
    const server = await protectedServer({ metadata: without('registration_endpoint') });
    const token = await logIn(server, { client: { id: 'registered-before', secret: null } });
    expect(server.login.grants.has(token)).toBe(true);
    expect(server.login.requests).not.toContain('/tenant/register');
  });

  it('waits on when the browser comes with another state', async () => {
    const server = await protectedServer();
    const statuses: number[] = [];
    const token = await logIn(server, {}, async (address) => {
      const { searchParams } = new URL(address);
      const callback = new URL(searchParams.get('redirect_uri') ?? '');
      for (const query of ['', '?code=stolen', '?code=stolen&state=other'])
        statuses.push((await fetch(callback.href + query)).status);
      statuses.push((await fetch(address)).status);
    });
    expect(server.login.grants.has(token)).toBe(true);
    expect(statuses).toEqual([404, 404, 404, 200]);
  });

  it('ends with its signal', async () => {
    const server = await protectedServer();
    const ending = new AbortController();
    const listener = await listenForRedirect(0);
    onTestFinished(() => listener.close());
    const waiting = listener.redirected('state', ending.signal);
    ending.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(server.login.grants.size).toBe(0);
  });

  const refused: readonly (readonly [string, AuthorizationServerOptions, Given, string])[] = [
    ['no registration', { metadata: without('registration_endpoint') }, {}, 'pass its id with --client-id'],
    [
      'no PKCE',
      { metadata: without('code_challenge_methods_supported') },
      {},
      'does not advertise PKCE with S256',
    ],
    [
      'another issuer',
      { metadata: (usual) => ({ ...usual, issuer: 'https://login.example.com' }) },
      {},
      'The metadata of the authorization server',
    ],
    [
      'the user’s refusal',
      { refusal: 'access_denied' },
      {},
      'The authorization server gave no code: access_denied.',
    ],
    [
      'metadata that cannot be read',
      {},
      { challenge: { metadataUrl: 'http://127.0.0.1:1/metadata', scope: null } },
      'The metadata at http://127.0.0.1:1/metadata cannot be read',
    ],
  ];

  it.each(refused)('says what is wrong: %s', async (_, options, given, words) => {
    const server = await protectedServer(options);
    const failure = await logIn(server, given).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LoginError);
    expect((failure as LoginError).message).toContain(words);
    expect(server.login.grants.size).toBe(0);
  });
});
