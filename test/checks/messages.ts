import type { Asked } from '../../src/checks/define-check.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type {
  AnsweredExchange,
  Heard,
  HeardEnd,
  HeardExchange,
  StreamEnd,
} from '../../src/model/exchange.ts';
import { bytesFrom } from '../../src/model/sent.ts';
import type { Conversation, Opened } from '../../src/model/wire.ts';
import { type AnswerParts, answer, call, type Given, STARTED_AT_MS } from './example.ts';

// Exchanges with a server of the Model Context Protocol, over both channels.

export const SESSION: Opened = {
  era: 'session',
  channel: 'stdio',
  version: '2025-11-25',
  name: 'subject',
  serverVersion: '1.0.0',
  capabilities: { tools: {} },
};
export const STATELESS: Opened = { ...SESSION, era: 'stateless', version: '2026-07-28' };

/** What came on one line: a message, or the text or the bytes of the line. */
export type Line = JsonObject | string | Uint8Array;

export const request = (method = 'ping', params: JsonObject = {}, id: Json = 1): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
export const notification = (method: string, params: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  method,
  params,
});
export const ok = (result: Json = {}, id: Json = 1): JsonObject => ({ jsonrpc: '2.0', id, result });
export const error = (code: Json, message: Json = 'x', id: Json = 1): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

export interface MessageParts {
  readonly key?: string;
  readonly conversation?: string;
  readonly repeatedSecrets?: readonly string[];
}

function awaitedBy(sent: JsonObject | string): Json {
  return typeof sent === 'string' ? null : (sent.id ?? null);
}

function heardLine(line: Line, repeatedSecrets: readonly string[] = []): Heard {
  const text = typeof line === 'string' || line instanceof Uint8Array ? line : JSON.stringify(line);
  return { bytes: bytesFrom(Buffer.from(text)), omittedBytes: 0, atMs: 20, repeatedSecrets };
}

/** What was written to a process, and what came for it. */
export function heard(
  sent: JsonObject | string,
  lines: readonly Line[],
  parts: MessageParts & { readonly end?: HeardEnd } = {},
): HeardExchange {
  const { key = 'step#0', conversation = 'main', end = 'answered', repeatedSecrets } = parts;
  const text = `${typeof sent === 'string' ? sent : JSON.stringify(sent)}\n`;
  return {
    kind: 'heard',
    request: { key, message: { conversation, awaited: awaitedBy(sent) }, line: { text }, atMs: 10 },
    heard: lines.map((line) => heardLine(line, repeatedSecrets)),
    end,
    timing: { startedAtMs: STARTED_AT_MS, connectMs: null, firstByteMs: 10, durationMs: 20 },
  };
}

/** What was posted to an address, and the answer to it; no message stands for DELETE and GET. */
export function posted(
  sent: JsonObject | string | null,
  parts: AnswerParts & MessageParts & { readonly stream?: StreamEnd } = {},
): AnsweredExchange {
  const { conversation = 'main', stream, ...rest } = parts;
  const exchange = answer({
    ...rest,
    request: {
      method: 'POST',
      url: 'http://target.example/mcp',
      body: sent === null ? null : { text: typeof sent === 'string' ? sent : JSON.stringify(sent) },
      message: { conversation, awaited: sent === null ? null : awaitedBy(sent) },
      ...parts.request,
    },
  });
  return stream === undefined ? exchange : { ...exchange, stream };
}

export const asked = (...exchanges: readonly Asked['exchange'][]): Given => ({
  asked: exchanges.map((exchange) => ({ exchange, call: null, item: undefined })),
});

/** One request, and the lines that came for it. */
export const came = (...lines: readonly Line[]): Given => asked(heard(request(), lines));

export const tool = (more: JsonObject = {}): JsonObject => ({
  name: 'add',
  inputSchema: { type: 'object' },
  ...more,
});

/** A page of tools/list for each list. */
export const listed = (...pages: readonly JsonObject[]): Given =>
  asked(...pages.map((page, index) => heard(request('tools/list'), [ok(page)], { key: `list#${index}` })));
export const tools = (...entries: readonly Json[]): Given => listed({ tools: entries });

/** A call of the tool "add", and the message that answers it. */
export const called = (answered: JsonObject, returns?: JsonObject, key = 'call#0'): Asked => ({
  exchange: heard(request('tools/call', { name: 'add', arguments: {} }), [answered], { key }),
  call: call({ functionName: 'add' }),
  item: { name: 'add', parameters: { type: 'object' }, ...(returns === undefined ? {} : { returns }) },
});
/** Calls of the tool "add" with these results. */
export const returned = (results: readonly JsonObject[], returns?: JsonObject): Given => ({
  asked: results.map((result, index) => called(ok(result), returns, `call#${index}`)),
});

/** What a process wrote that nobody waited for. */
export function unasked(...lines: readonly Line[]): readonly Conversation[] {
  return [
    {
      name: 'main',
      openedAtMs: STARTED_AT_MS,
      unasked: lines.map((line) => heardLine(line)),
      omitted: { lines: 0, bytes: 0 },
      stderr: '',
      ended: null,
    },
  ];
}
