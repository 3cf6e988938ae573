import type { RunSettings } from '../model/report.ts';
import { createGuardedFetch, type GuardedFetch } from '../probe/guarded-fetch.ts';
import type { CheckOptions } from './check-options.ts';
import { authoritiesOf, givenHeaders } from './run-settings.ts';

/** What an address answered to messages of the Model Context Protocol, for a person: "POST server/discover: status 404". */
export interface McpAnswer {
  readonly speaksMcp: boolean;
  /** Access is missing, and nothing shows what kind of server it is. */
  readonly turnedAway: boolean;
  readonly said: readonly string[];
}

const EVENTS = 'text/event-stream';
const MAX_BYTES = 1024 * 1024;
const CLIENT = { name: 'probity', version: '0' };

/** First the one that changes nothing: a server of sessions answers it with an error, which is JSON-RPC as well. */
const MESSAGES = [
  {
    version: '2026-07-28',
    message: {
      jsonrpc: '2.0',
      id: 1,
      method: 'server/discover',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': CLIENT,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  },
  {
    version: '2025-11-25',
    message: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT },
    },
  },
] as const;

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Asks an address whether it is an endpoint of the Model Context Protocol, with at most three requests that change
 * nothing: `server/discover`, `initialize` (a session that is opened is ended), and a GET for the older SSE transport.
 */
export async function askMcp(
  url: string,
  options: Pick<CheckOptions, 'headers' | 'bearerToken' | 'ca' | 'publicOnly'> &
    Partial<Pick<RunSettings, 'requestTimeoutMs'>>,
): Promise<McpAnswer> {
  const asker = new McpAsker(url, options);
  try {
    return await asker.ask();
  } finally {
    await asker.close();
  }
}

/** Nobody reads messages here. */
const NO_ROUTE: ReadonlySet<number> = new Set([404, 405, 501]);

const DEFAULT_TIMEOUT_MS = 10_000;

class McpAsker {
  #url: string;
  readonly #own: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #guarded: GuardedFetch;
  readonly #said: string[] = [];

  constructor(url: string, options: Parameters<typeof askMcp>[1]) {
    this.#url = url;
    this.#own = Object.fromEntries(givenHeaders(options).headers.map(({ name, value }) => [name, value]));
    this.#timeoutMs = options.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#guarded = createGuardedFetch({
      publicOnly: options.publicOnly ?? false,
      ca: authoritiesOf(options),
      connectTimeoutMs: this.#timeoutMs,
      viaProxy: true,
      maxBytes: MAX_BYTES,
    });
  }

  async ask(): Promise<McpAnswer> {
    let turnedAway = false;
    for (const { version, message } of MESSAGES) {
      const reply = await this.#post(message, version);
      if (reply === null) return this.#answer(false);
      if (isMcp(reply)) {
        await this.#endSession(reply);
        return this.#answer(true);
      }
      turnedAway = reply.status === 401 || reply.status === 403;
      // Neither the other message nor the older transport would be answered otherwise.
      if (turnedAway) return this.#answer(false, true);
      if (NO_ROUTE.has(reply.status)) break;
    }
    const stream = await this.#request('GET', { accept: EVENTS }, null);
    return this.#answer(stream?.status === 200 && stream.type === EVENTS);
  }

  close(): Promise<void> {
    return this.#guarded.close();
  }

  #answer(speaksMcp: boolean, turnedAway = false): McpAnswer {
    return { speaksMcp, turnedAway, said: this.#said };
  }

  #post(message: (typeof MESSAGES)[number]['message'], version: string): Promise<Reply | null> {
    return this.#request(
      'POST',
      {
        accept: `application/json, ${EVENTS}`,
        'content-type': 'application/json',
        'mcp-protocol-version': version,
        'mcp-method': message.method,
      },
      message,
    );
  }

  async #request(
    method: 'GET' | 'POST',
    headers: Readonly<Record<string, string>>,
    message: { readonly method: string } | null,
  ): Promise<Reply | null> {
    const what = message === null ? `GET for ${EVENTS}` : `POST ${message.method}`;
    try {
      const reply = await this.#reply({
        method,
        headers: { ...this.#own, ...headers },
        ...(message === null ? {} : { body: JSON.stringify(message) }),
      });
      this.#said.push(`${what}: status ${reply.status}${reply.type === '' ? '' : `, ${reply.type}`}`);
      return reply;
    } catch (error) {
      this.#said.push(`${what}: no answer (${reasonOf(error)})`);
      return null;
    }
  }

  /** Follows one redirect that keeps the method, such as from /mcp to /mcp/. */
  async #reply(init: RequestInit, mayMove = true): Promise<Reply> {
    const url = this.#url;
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const response = await this.#guarded.fetch(url, { ...init, signal, redirect: 'manual' });
    const { status, headers } = response;
    const to = headers.get('location');
    if (mayMove && to !== null && (status === 307 || status === 308) && URL.canParse(to, url)) {
      const next = new URL(to, url);
      if (next.origin === new URL(url).origin) {
        await response.body?.cancel();
        this.#url = next.href;
        return this.#reply(init, false);
      }
    }
    const [type = ''] = (headers.get('content-type') ?? '').toLowerCase().split(';', 1);
    // A stream of events may stay open.
    if (type.trim() === EVENTS) {
      await response.body?.cancel();
      return { status, type: EVENTS, headers, text: '' };
    }
    return { status, type: type.trim(), headers, text: await response.text() };
  }

  async #endSession({ headers }: Reply): Promise<void> {
    const session = headers.get('mcp-session-id');
    if (session === null) return;
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const own = { ...this.#own, 'mcp-session-id': session };
    const ended = this.#guarded.fetch(this.#url, { method: 'DELETE', headers: own, signal });
    // A server that does not end sessions may answer with anything.
    await ended.then((response) => response.body?.cancel()).catch(() => undefined);
  }
}

/** An answer in JSON-RPC or as a stream of events, a session, or a challenge that names the metadata of a resource. */
function isMcp({ type, headers, text }: Reply): boolean {
  const challenge = headers.get('www-authenticate') ?? '';
  return (
    type === EVENTS ||
    headers.has('mcp-session-id') ||
    /\bresource_metadata\s*=/i.test(challenge) ||
    isJsonRpc(text)
  );
}

/** An answer, and not an echo of the message. */
function isJsonRpc(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    const [first]: unknown[] = Array.isArray(value) ? value : [value];
    return (
      typeof first === 'object' &&
      first !== null &&
      'jsonrpc' in first &&
      first.jsonrpc === '2.0' &&
      ('result' in first || 'error' in first)
    );
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
