import type { OpenBridge, RemoteServer } from 'probity/mcp';
import { type HttpExchange, overHttp, unsentExchange } from 'probity/model';
import { harnessVersion, systemClock } from 'probity/service';
import type { ServiceSettings } from '../settings/settings.ts';
import { type BridgedRequest, bridgedExchange } from './bridged-exchange.ts';

/** How to reach a server of the Model Context Protocol. */
export type McpServer = Pick<RemoteServer, 'url' | 'headers' | 'secrets'>;

type BridgeSettings = Pick<ServiceSettings, 'publicOnly' | 'ca' | 'callTimeoutMs'>;

const LIMITS = { maxIdle: 64, idleMs: 60_000 };

interface Kept {
  readonly bridge: OpenBridge;
  /** Of the last answer that refused the directory. */
  challenge: string | null;
  inUse: number;
  closing: ReturnType<typeof setTimeout> | null;
}

/** For a session to be opened, and for /health. */
export const START_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The bridges of an instance to the servers of the Model Context Protocol that the directory lists. */
export class Bridges {
  readonly #settings: BridgeSettings;
  readonly #limits: typeof LIMITS;
  /** By server, the least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(settings: BridgeSettings, limits = LIMITS) {
    this.#settings = settings;
    this.#limits = limits;
  }

  /** Sends a request through a bridge that is kept open for the next one. Never rejects. */
  async send(server: McpServer, request: BridgedRequest): Promise<HttpExchange> {
    if (this.#isClosed) return overHttp(unsentExchange(request.request, STOPPING, systemClock.nowMs()));
    return this.#track(this.#send(server, request));
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [key, one] of this.#kept) this.#drop(key, one);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #track<Value>(work: Promise<Value>): Promise<Value> {
    const tracked: Promise<Value> = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
    return tracked;
  }

  async #send(server: McpServer, request: BridgedRequest): Promise<HttpExchange> {
    // Entries with the same address and token may share a session.
    const key = JSON.stringify([server.url, server.headers]);
    const used = await this.#take(key, server);
    try {
      return await bridgedExchange(used.bridge, request, () => used.challenge);
    } finally {
      this.#release(key, used);
    }
  }

  async #take(key: string, server: McpServer): Promise<Kept> {
    // The client of the protocol is loaded with the first such server.
    const { openBridge, remoteTarget } = await import('probity/mcp');
    const { publicOnly, ca, callTimeoutMs } = this.#settings;
    const open = (): Kept => {
      const onRefused = (challenge: string | null): void => {
        kept.challenge = challenge;
      };
      const remote = { ...server, publicOnly, ca, viaProxy: false, maxAnswerBytes: MAX_ANSWER_BYTES };
      const kept: Kept = {
        bridge: openBridge({
          ...remoteTarget({ ...remote, onRefused }),
          form: 'B',
          sessions: 1,
          timeoutMs: callTimeoutMs,
          startTimeoutMs: Math.min(START_TIMEOUT_MS, callTimeoutMs),
          healthTimeoutMs: START_TIMEOUT_MS,
          clientVersion: harnessVersion(),
          clock: systemClock,
        }),
        challenge: null,
        inUse: 0,
        closing: null,
      };
      return kept;
    };
    const found = this.#kept.get(key) ?? open();
    this.#kept.delete(key);
    this.#kept.set(key, found);
    if (found.closing !== null) clearTimeout(found.closing);
    found.inUse += 1;
    if (this.#isClosed) this.#drop(key, found);
    return found;
  }

  #release(key: string, used: Kept): void {
    used.inUse -= 1;
    if (used.inUse > 0 || this.#kept.get(key) !== used) return;
    // A bridge without a session would try to open one again and again.
    if (!used.bridge.hasSession()) {
      this.#drop(key, used);
      return;
    }
    const { idleMs, maxIdle } = this.#limits;
    used.closing = setTimeout(() => this.#drop(key, used), idleMs);
    const idle = [...this.#kept].filter(([, { inUse }]) => inUse === 0);
    for (const [oldest, one] of idle.slice(0, Math.max(0, idle.length - maxIdle))) this.#drop(oldest, one);
  }

  #drop(key: string, { bridge, closing }: Kept): void {
    this.#kept.delete(key);
    if (closing !== null) clearTimeout(closing);
    void this.#track(bridge.close());
  }
}

const STOPPING = { code: 'not-sent', fault: 'harness', message: 'the directory is stopping' } as const;
