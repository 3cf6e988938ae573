import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  type AuthInfo,
  createMcpHandler,
  fromJsonSchema,
  getOAuthProtectedResourceMetadataUrl,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  type OAuthMetadata,
  oauthMetadataResponse,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';

export interface ProtectedOptions {
  /** Accepts tokens for other servers. */
  readonly anyAudience?: boolean;
  /** What is open to every user, although it belongs to the one who created it. */
  readonly leaks?: 'reading' | 'changing';
  readonly server?: Parameters<typeof startAuthorizationServer>[0];
}

export interface ProtectedServer {
  readonly url: string;
  readonly login: AuthorizationServer;
  /** The status of each answer of the endpoint. */
  readonly statuses: readonly number[];
  readonly notes: ReadonlyMap<string, Note>;
  readonly close: () => Promise<void>;
}

interface Note {
  readonly owner: string;
  readonly text: string;
}

/** A server of the official SDK, protected with its helpers, whose tools keep notes of their users. */
export async function startProtectedServer(options: ProtectedOptions = {}): Promise<ProtectedServer> {
  const login = await startAuthorizationServer(options.server);
  const notes = new Map<string, Note>();
  const statuses: number[] = [];
  const server = http.createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const metadata = {
    oauthMetadata: login.metadata as unknown as OAuthMetadata,
    resourceServerUrl: new URL(url),
    scopesSupported: ['mcp'],
    dangerouslyAllowInsecureIssuerUrl: true,
  };
  const gate = requireBearerAuth({
    verifier: { verifyAccessToken: async (token) => authOf(token, login) },
    requiredScopes: ['mcp'],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(url)),
    ...(options.anyAudience ? {} : { expectedResource: new URL(url) }),
  });
  const handler = createMcpHandler(() => notesServer(notes, options));

  async function fetchAnswer(request: Request): Promise<Response> {
    const document = oauthMetadataResponse(request, metadata);
    if (document !== undefined) return document;
    if (request.headers.has('origin')) return new Response(null, { status: 403 });
    const auth = await gate(request);
    return auth instanceof Response ? auth : handler.fetch(request, { authInfo: auth });
  }

  async function answer(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (incoming.headers.host !== new URL(url).host) return void response.writeHead(403).end();
    const body = await buffer(incoming);
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const { method = 'GET' } = incoming;
    const hasBody = method !== 'GET' && method !== 'HEAD' && body.length > 0;
    const request = new Request(new URL(incoming.url ?? '/', url), {
      method,
      headers,
      ...(hasBody ? { body } : {}),
    });
    const answered = await fetchAnswer(request);
    if (incoming.url === '/mcp') statuses.push(answered.status);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    // A subscription stays open.
    for await (const part of answered.body ?? []) response.write(part);
    response.end();
  }

  const close = async (): Promise<void> => {
    await login.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, login, statuses, notes, close };
}

function authOf(token: string, { grants }: AuthorizationServer): AuthInfo {
  const grant = grants.get(token);
  if (grant === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'unknown token');
  const { user, audience, scopes, expiresAt } = grant;
  return { token, clientId: user, scopes: [...scopes], expiresAt, resource: new URL(audience) };
}

const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const;

function notesServer(notes: Map<string, Note>, { leaks }: ProtectedOptions): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const said = (value: Readonly<Record<string, unknown>>) => ({
    content: [{ type: 'text' as const, text: JSON.stringify(value) }],
    structuredContent: value,
  });
  const missing = { content: [{ type: 'text' as const, text: 'There is no such note.' }], isError: true };
  const object = (properties: Readonly<Record<string, ReturnType<typeof text>>>) =>
    fromJsonSchema<Record<string, string>>({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    });
  const note = object({ id: text('The id of the note.'), text: text('The text.') });
  const owned = (id: string | undefined, user: string | undefined, isOpen: boolean): Note | undefined => {
    const found = notes.get(id ?? '');
    return found?.owner === user || isOpen ? found : undefined;
  };
  server.registerTool(
    'create_note',
    { description: 'Creates a note.', inputSchema: object({ text: text('The text.') }), outputSchema: note },
    ({ text: given }, { http: { authInfo } = {} }) => {
      const id = `note-${notes.size + 1}-${Math.round(Date.now() % 1_000_000)}`;
      notes.set(id, { owner: authInfo?.clientId ?? '', text: given ?? '' });
      return said({ id, text: given });
    },
  );
  server.registerTool(
    'get_note',
    {
      description: 'Gets a note by its id.',
      inputSchema: object({ id: text('The id of the note.') }),
      outputSchema: note,
      annotations: { readOnlyHint: true },
    },
    ({ id }, { http: { authInfo } = {} }) => {
      const found = owned(id, authInfo?.clientId, leaks === 'reading');
      return found === undefined ? missing : said({ id, text: found.text });
    },
  );
  server.registerTool(
    'delete_note',
    {
      description: 'Deletes a note by its id.',
      inputSchema: object({ id: text('The id of the note.') }),
      outputSchema: object({ id: text('The id of the note.') }),
    },
    ({ id }, { http: { authInfo } = {} }) => {
      if (owned(id, authInfo?.clientId, leaks === 'changing') === undefined) return missing;
      notes.delete(id ?? '');
      return said({ id });
    },
  );
  return server;
}
