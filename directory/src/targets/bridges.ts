import type { BridgeSettings, OpenBridge, RemoteServer } from 'probity/mcp';
import { type HttpExchange, overHttp, unsentExchange } from 'probity/model';
import { harnessVersion, systemClock } from 'probity/service';
import type { ServiceSettings } from '../settings.ts';
import { type BridgedRequest, bridgedExchange } from './bridged-exchange.ts';

/** How to reach a server of the Model Context Protocol. */
export type McpServer = Pick<RemoteServer, 'url' | 'headers' | 'secrets'>;

/** The bridges of an instance to the servers of the Model Context Protocol that the directory lists. */
export interface Bridges {
  /** Sends a request through a bridge that is kept open for the next one. Never rejects. */
  send(server: McpServer, request: BridgedRequest): Promise<HttpExchange>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

export interface BridgeLimits {
  readonly maxIdle: number;
  readonly idleMs: number;
}

interface Kept {
  readonly bridge: OpenBridge;
  /** Requests under way. */
  inUse: number;
  closing: ReturnType<typeof setTimeout> | null;
}

/** For a session to be opened, and for /health. */
export const START_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export function createBridges(
  { publicOnly, ca, callTimeoutMs }: Pick<ServiceSettings, 'publicOnly' | 'ca' | 'callTimeoutMs'>,
  { maxIdle, idleMs }: BridgeLimits = { maxIdle: 64, idleMs: 60_000 },
): Bridges {
  /** By server, the least recently used first. */
  const kept = new Map<string, Kept>();
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;

  const settingsFor = async (server: McpServer): Promise<BridgeSettings> => {
    // The client of the protocol is loaded with the first such server.
    const { remoteTarget } = await import('probity/mcp');
    return {
      ...remoteTarget({ ...server, publicOnly, ca, viaProxy: false, maxAnswerBytes: MAX_ANSWER_BYTES }),
      form: 'B',
      sessions: 1,
      timeoutMs: callTimeoutMs,
      startTimeoutMs: Math.min(START_TIMEOUT_MS, callTimeoutMs),
      healthTimeoutMs: START_TIMEOUT_MS,
      clientVersion: harnessVersion(),
      clock: systemClock,
    };
  };

  const drop = (key: string, { bridge, closing }: Kept): void => {
    kept.delete(key);
    if (closing !== null) clearTimeout(closing);
    const closed: Promise<void> = bridge.close().finally(() => underWay.delete(closed));
    underWay.add(closed);
  };

  const take = async (key: string, server: McpServer): Promise<Kept> => {
    const [settings, { openBridge }] = await Promise.all([settingsFor(server), import('probity/mcp')]);
    const found = kept.get(key) ?? { bridge: openBridge(settings), inUse: 0, closing: null };
    kept.delete(key);
    kept.set(key, found);
    if (found.closing !== null) clearTimeout(found.closing);
    found.inUse += 1;
    if (isClosed) drop(key, found);
    return found;
  };

  const release = (key: string, used: Kept): void => {
    used.inUse -= 1;
    if (used.inUse > 0 || kept.get(key) !== used) return;
    // A bridge without a session would try to open one again and again.
    if (!used.bridge.hasSession()) {
      drop(key, used);
      return;
    }
    used.closing = setTimeout(() => drop(key, used), idleMs);
    const idle = [...kept].filter(([, { inUse }]) => inUse === 0);
    for (const [oldest, one] of idle.slice(0, Math.max(0, idle.length - maxIdle))) drop(oldest, one);
  };

  const send = async (server: McpServer, request: BridgedRequest): Promise<HttpExchange> => {
    // Entries with the same address and token may share a session.
    const key = JSON.stringify([server.url, server.headers]);
    const used = await take(key, server);
    try {
      return await bridgedExchange(used.bridge, request);
    } finally {
      release(key, used);
    }
  };

  return {
    send: async (server, request) => {
      if (isClosed) return overHttp(unsentExchange(request.request, STOPPING, systemClock.nowMs()));
      const sending = send(server, request).finally(() => underWay.delete(sending));
      underWay.add(sending);
      return sending;
    },
    close: async () => {
      isClosed = true;
      for (const [key, one] of kept) drop(key, one);
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

const STOPPING = { code: 'not-sent', fault: 'harness', message: 'the directory is stopping' } as const;
