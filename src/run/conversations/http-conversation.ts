import { bufferFrom, bytesFrom } from '../../model/bytes.ts';
import {
  type AnsweredExchange,
  type Exchange,
  type Header,
  headerValue,
  isEventStream,
} from '../../model/exchange.ts';
import type { JsonObject } from '../../model/json.ts';
import type { EventWatch, Probe } from '../../model/probe.ts';
import { wholeBody } from '../../model/request-body.ts';
import type { Conversation, Era } from '../../model/wire.ts';
import type { GivenHeader } from '../../probe/given-headers.ts';
import { createLiveProbe, DEFAULT_BOUNDS } from '../../probe/live-probe.ts';
import type { Secret } from '../../probe/redactor.ts';
import { httpHeaders } from '../../wires/mcp/http-headers.ts';
import { answersTo, EventReader, messagesInBody, type ReadMessage } from '../../wires/mcp/messages.ts';
import type { OpenConversation, OpeningSettings, ToSend } from './opened.ts';

export interface HttpSettings extends OpeningSettings {
  readonly url: string;
  readonly headers: readonly GivenHeader[];
  readonly secrets: readonly Secret[];
  readonly publicOnly: boolean;
  readonly ca: string | null;
}

/** For the end of a session, which nobody waits for. */
const DELETE_TIMEOUT_MS = 2000;

/**
 * A conversation over streamable HTTP: each message is the body of a POST, sent by the probe that also checks HTTP
 * itself. A server of the session era may give it an id, which every later request repeats.
 */
export class HttpConversation implements OpenConversation {
  readonly #settings: HttpSettings;
  readonly #probe: Probe;
  readonly #openedAtMs: number;
  readonly #startMs: number;
  #era: Era = 'session';
  #version: string | null = null;
  #sessionId: string | null = null;

  constructor(settings: HttpSettings) {
    const { clock, headers, secrets, publicOnly, ca, signal } = settings;
    this.#settings = settings;
    this.#openedAtMs = clock.nowMs();
    this.#startMs = clock.monotonicMs();
    this.#probe = createLiveProbe({
      clock,
      headers,
      secrets,
      publicOnly,
      ca,
      signal,
      bounds: DEFAULT_BOUNDS,
    });
  }

  /** What the headers of later messages say. */
  speak(era: Era, version: string | null): void {
    this.#era = era;
    this.#version = version;
  }

  async send({ key, bytes, message, awaited, timeoutMs }: ToSend): Promise<Exchange> {
    // All that a stream brings belongs to its request.
    const take = ([first]: readonly ReadMessage[]): void => {
      if (first !== undefined) this.#hear(first.bytes, key);
    };
    let isAnswered = false;
    const reader = new EventReader((messages) => {
      take(messages);
      isAnswered ||= awaited !== null && messages.some(({ message: one }) => answersTo(awaited, one));
    });
    const push = (part: Uint8Array): boolean => {
      reader.push(part);
      return isAnswered;
    };
    const exchange = await this.#request(key, 'POST', this.#headers(message), bytes, timeoutMs, { push });
    if (exchange.kind !== 'answered') return exchange;
    const { headers, body } = exchange.response;
    if (this.#era === 'session') this.#sessionId ??= headerValue(headers, 'mcp-session-id') ?? null;
    if (!isEventStream(headers)) take(messagesInBody(headers, bufferFrom(body)));
    return exchange;
  }

  /** The address of the messages if the server speaks the HTTP transport of 2024-11-05; null if it does not. */
  async oldEndpoint(timeoutMs: number): Promise<string | null> {
    const reader = new EventReader(() => undefined);
    const push = (part: Uint8Array): boolean => {
      reader.push(part);
      return reader.endpoint !== null;
    };
    const headers: readonly Header[] = [['accept', 'text/event-stream']];
    await this.#request('opening/old-transport', 'GET', headers, null, timeoutMs, { push });
    return reader.endpoint;
  }

  /** Ends the session, as a client should. */
  async close(): Promise<Conversation> {
    if (this.#sessionId !== null)
      await this.#request('close', 'DELETE', this.#headers(null), null, DELETE_TIMEOUT_MS, undefined);
    this.#probe.close();
    const atMs = this.#nowMs();
    return {
      name: 'http',
      openedAtMs: this.#openedAtMs,
      unasked: [],
      omitted: { lines: 0, bytes: 0 },
      stderr: '',
      ended: { by: 'probe', reason: 'the conversation was over', atMs },
    };
  }

  #headers(message: JsonObject | null): readonly Header[] {
    return httpHeaders({ era: this.#era, version: this.#version, sessionId: this.#sessionId }, message);
  }

  #request(
    key: string,
    method: 'GET' | 'POST' | 'DELETE',
    headers: readonly Header[],
    body: Uint8Array | null,
    timeoutMs: number,
    events: EventWatch | undefined,
  ): Promise<Exchange> {
    const { url, client } = this.#settings;
    return this.#probe.send({
      key,
      method,
      url,
      headers: [
        ...headers,
        ['accept-encoding', 'identity'],
        ['user-agent', `${client.name}/${client.version} (conformance check)`],
      ],
      body: body === null ? null : wholeBody(body),
      abortAfterBytes: null,
      timeoutMs,
      feedsLaterSteps: false,
      anonymous: false,
      connection: null,
      upgrade: null,
      events,
    });
  }

  #hear(bytes: Uint8Array, key: string): void {
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
    );
  }

  #nowMs(): number {
    return Math.round((this.#settings.clock.monotonicMs() - this.#startMs) * 1000) / 1000;
  }
}

/** The messages of an answer. */
export function messagesOf({ response }: AnsweredExchange): readonly ReadMessage[] {
  return messagesInBody(response.headers, bufferFrom(response.body));
}
