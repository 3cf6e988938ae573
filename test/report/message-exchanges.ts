import type { Json } from '../../src/json/json.ts';
import type { HeardExchange, SentLine } from '../../src/model/exchange.ts';

/** A message of the Model Context Protocol as a line to a process. */
export function sentLine(message: Json, key = 'tools/call#0'): SentLine {
  return {
    key,
    message: { conversation: 'main', awaited: 1 },
    line: { text: `${JSON.stringify(message)}\n` },
    atMs: 1,
  };
}

export const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'add', arguments: { a: 1 } },
};

/** What a process wrote for it. */
export function heard(lines: readonly string[], parts: Partial<HeardExchange> = {}): HeardExchange {
  return {
    kind: 'heard',
    request: sentLine(CALL),
    heard: lines.map((text) => ({ bytes: { text }, omittedBytes: 0, atMs: 2, repeatedSecrets: [] })),
    end: 'answered',
    timing: { startedAtMs: 0, connectMs: null, firstByteMs: 1, durationMs: 2.5 },
    ...parts,
  };
}

export function answerLine(parts: Readonly<Record<string, Json>>): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, ...parts });
}
