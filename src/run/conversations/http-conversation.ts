import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import { type Header, type Heard, headerValue, isEventStream } from '../../model/exchange.ts';
import type { HttpProbe, PlannedHttp } from '../../model/probe.ts';
import { bufferFrom, bytesFrom, wholeBody } from '../../model/sent.ts';
import type { Conversation, Era } from '../../model/wire.ts';
import { createLiveProbe, DEFAULT_BOUNDS, type LiveProbeOptions } from '../../probe/live-probe.ts';
import { KeptLines, DEFAULT_BOUNDS as LINE_BOUNDS } from '../../probe/stdio/kept-lines.ts';
import {
  httpHeaders,
  type MirroredParameter,
  mirroredHeaders,
  mirroredParameters,
  SESSION_ID,
} from '../../wires/mcp/http-headers.ts';
import { EventReader, messagesInBody, type ReadMessage } from '../../wires/mcp/messages.ts';
import { toolsOn } from '../../wires/mcp/tools.ts';
import type { OpenConversation, OpeningSettings, ToSend } from './opened.ts';
import { type HttpExchange, ResumableStream, type Resuming, resumed } from './resumed-stream.ts';
import { listen } from './standing-stream.ts';

export interface HttpSettings
  extends OpeningSettings,
    Pick<LiveProbeOptions, 'headers' | 'secrets' | 'tokens' | 'publicOnly' | 'ca'> {
  readonly name?: string | undefined;
  readonly url: string;
}

/** For the end of a session, which nobody waits for. */
const DELETE_TIMEOUT_MS = 2000;

/**
 * A conversation over streamable HTTP: each message is the body of a POST, sent by the probe that also checks HTTP
 * itself. A server of the session era may give it an id, which every later request repeats.
 */
export class HttpConversation implements OpenConversation {
  readonly name: string;
  readonly #settings: HttpSettings;
  readonly #probe: HttpProbe;
  readonly #openedAtMs: number;
  readonly #startMs: number;
  #era: Era = 'session';
  #version: string | null = null;
  #sessionId: string | null = null;
  /** By tool, as they were listed last. */
  readonly #mirrored = new Map<Json, readonly MirroredParameter[]>();
  #isEnded = false;
  /** What the server sent on a stream that belongs to no request. */
  readonly #unasked: Heard[] = [];
  readonly #kept: KeptLines;
  readonly #listening = new AbortController();

  constructor(settings: HttpSettings) {
    this.name = settings.name ?? 'main';
    this.#settings = settings;
    this.#openedAtMs = settings.clock.nowMs();
    this.#startMs = settings.clock.monotonicMs();
    this.#kept = new KeptLines(LINE_BOUNDS, settings.redactor, () => this.#nowMs());
    this.#probe = createLiveProbe({ ...settings, bounds: DEFAULT_BOUNDS });
  }

  /** What the headers of later messages say. */
  speak(era: Era, version: string | null): void {
    this.#era = era;
    this.#version = version;
  }

  /** Opens the stream on which the server may ask what belongs to no request, if it offers one. */
  listen(): void {
    const { clock } = this.#settings;
    const signal = AbortSignal.any([this.#settings.signal, this.#listening.signal]);
    const probe = createLiveProbe({ ...this.#settings, signal, bounds: DEFAULT_BOUNDS });
    const take = ([first]: readonly ReadMessage[]): void => {
      if (first === undefined) return;
      const kept = this.#kept.keepOther(Buffer.from(first.bytes), 0);
      if (kept !== null) this.#unasked.push(kept);
      this.#hear(first.bytes, null);
    };
    void listen({
      connect: (id, planned) => {
        const resumed: readonly Header[] = id === null ? [] : [['last-event-id', id]];
        return this.#request({ ...planned, headers: [...this.#headers(null), ...resumed] }, probe);
      },
      take,
      sleep: (durationMs) => clock.sleep(durationMs, signal),
      signal,
    });
  }

  async send({
    key,
    bytes,
    message,
    awaited,
    timeoutMs,
    until,
    method,
    headers = [],
    anonymous = false,
    token = null,
    keepsConnection = false,
  }: ToSend): Promise<HttpExchange> {
    // All that a stream brings belongs to its request.
    const take = ([first]: readonly ReadMessage[]): void => {
      if (first !== undefined) this.#hear(first.bytes, key);
    };
    const stream = new ResumableStream(awaited, take, until);
    const push = (part: Uint8Array): boolean => stream.push(part);
    const own = new Set(headers.map(([name]) => name));
    const all = [
      ...[...this.#headers(message), ...this.#mirroredIn(message)].filter(([name]) => !own.has(name)),
      ...headers.filter((one): one is Header => one[1] !== null),
    ];
    const exchange = await this.#request({
      key,
      method: method ?? 'POST',
      headers: all,
      body: method === undefined ? wholeBody(bytes) : null,
      timeoutMs,
      events: { push, endsWithHead: method === 'GET' },
      anonymous,
      token,
      message: { conversation: this.name, awaited },
      connection: keepsConnection ? this.name : null,
    });
    if (exchange.kind === 'answered') {
      const { headers: received, body } = exchange.response;
      if (this.#era === 'session') this.#sessionId ??= headerValue(received, SESSION_ID) ?? null;
      if (!isEventStream(received)) take(messagesInBody(received, bufferFrom(body)));
      if (message?.method === 'tools/list')
        for (const { tool } of toolsOn(exchange))
          this.#mirrored.set(
            ownProperty(tool, 'name') ?? null,
            mirroredParameters(ownProperty(tool, 'inputSchema')),
          );
    }
    if (awaited === null || this.#era === 'stateless') return exchange;
    const { clock, signal } = this.#settings;
    const connect: Resuming['connect'] = (id, leftMs) =>
      this.#request({
        key,
        method: 'GET',
        headers: [...this.#headers(null), ['last-event-id', id]],
        timeoutMs: leftMs,
        events: { push },
        anonymous,
        token,
      });
    return resumed(exchange, stream, { clock, signal, timeoutMs, connect });
  }

  /** The end of a session is known only from its answers. */
  ended(): null {
    return null;
  }

  /** The address of the messages if the server speaks the HTTP transport of 2024-11-05; null if it does not. */
  async oldEndpoint(timeoutMs: number): Promise<string | null> {
    const reader = new EventReader(() => undefined);
    const push = (part: Uint8Array): boolean => {
      reader.push(part);
      return reader.endpoint !== null;
    };
    const headers: readonly Header[] = [['accept', 'text/event-stream']];
    const events = { push };
    await this.#request({ key: 'opening/old-transport', method: 'GET', headers, timeoutMs, events });
    return reader.endpoint;
  }

  /** Ends the session, as a client should. */
  async endInput(key: string, timeoutMs: number): Promise<HttpExchange> {
    const message = { conversation: this.name, awaited: null };
    const headers = this.#headers(null);
    const ended = await this.#request({ key, method: 'DELETE', headers, timeoutMs, message });
    this.#isEnded = true;
    return ended;
  }

  async close(): Promise<Conversation> {
    this.#listening.abort();
    const log = this.log();
    if (this.#sessionId !== null && !this.#isEnded) await this.endInput('close', DELETE_TIMEOUT_MS);
    this.#probe.close();
    return log;
  }

  log(): Conversation {
    return {
      name: this.name,
      openedAtMs: this.#openedAtMs,
      unasked: [...this.#unasked],
      omitted: this.#kept.omitted,
      stderr: '',
      ended: { by: 'probe', reason: 'the conversation was over', atMs: this.#nowMs() },
    };
  }

  #headers(message: JsonObject | null): readonly Header[] {
    return httpHeaders({ era: this.#era, version: this.#version, sessionId: this.#sessionId }, message);
  }

  /** What a client repeats of the arguments of a call, since the stateless era. */
  #mirroredIn(message: JsonObject | null): readonly Header[] {
    if (this.#era !== 'stateless' || message?.method !== 'tools/call') return [];
    const input = ownProperty(message.params, 'arguments');
    const parameters = this.#mirrored.get(ownProperty(message.params, 'name') ?? null) ?? [];
    return isJsonObject(input) ? mirroredHeaders(parameters, input) : [];
  }

  #request(
    planned: Pick<PlannedHttp, 'key' | 'method' | 'headers' | 'timeoutMs'> & Partial<PlannedHttp>,
    probe = this.#probe,
  ): Promise<HttpExchange> {
    const { url, client } = this.#settings;
    return probe.send({
      body: null,
      abortAfterBytes: null,
      feedsLaterSteps: false,
      anonymous: false,
      connection: null,
      upgrade: null,
      ...planned,
      url,
      headers: [
        ...planned.headers,
        ['accept-encoding', 'identity'],
        ['user-agent', `${client.name}/${client.version} (conformance check)`],
      ],
    });
  }

  #hear(bytes: Uint8Array, key: string | null): void {
    const { redactor, onHeard } = this.#settings;
    const raw = Buffer.from(bytes);
    onHeard?.(
      {
        bytes: bytesFrom(redactor.bytes(raw)),
        omittedBytes: 0,
        atMs: this.#nowMs(),
        repeatedSecrets: redactor.repeatedIn([], raw),
      },
      key,
      true,
    );
  }

  #nowMs(): number {
    return Math.round((this.#settings.clock.monotonicMs() - this.#startMs) * 1000) / 1000;
  }
}
