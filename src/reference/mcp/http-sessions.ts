import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Conversation } from './conversation.ts';
import { EventStream } from './event-stream.ts';
import type { Catalog } from './protocol/catalog.ts';

/** Clients often leave without a word, so the session that was not used for the longest time ends. */
const maxSessions = 100;
/** Of a session, without those that a client reads; older ones cannot be resumed. */
const maxStreams = 20;

/** A session over HTTP: a conversation, and the streams on which the server sends. */
export class HttpSession {
  readonly conversation: Conversation;
  readonly #streams = new Map<string, EventStream>();
  #streamCount = 0;
  /** The stream that a client opened with GET, for messages that belong to no request. */
  #unasked: EventStream | undefined;

  constructor(catalog: Catalog) {
    this.conversation = new Conversation(catalog, (text) => this.#unasked?.send(text));
  }

  readonly openStream = (): EventStream => {
    this.#streamCount += 1;
    const name = String(this.#streamCount);
    const stream = new EventStream(name);
    this.#streams.set(name, stream);
    const [oldest, ...others] = [...this.#streams].filter(([, { isConnected }]) => !isConnected);
    if (oldest !== undefined && others.length >= maxStreams) this.#streams.delete(oldest[0]);
    // Clients of older revisions take every event for a message.
    if ((this.conversation.revision ?? '') >= '2025-11-25') stream.prime();
    return stream;
  };

  listen(): Readable {
    this.#unasked = this.openStream();
    return this.#unasked.connect(0);
  }

  /** What follows the event with this id; undefined if the event is unknown. */
  resume(lastEventId: string): Readable | undefined {
    const [name = '', number = ''] = lastEventId.split('.');
    return this.#streams.get(name)?.connect(Number(number));
  }

  close(): void {
    this.conversation.close();
    for (const stream of this.#streams.values()) stream.end();
  }
}

export class HttpSessions {
  /** By id; the one that was used last comes last. */
  readonly #sessions = new Map<string, HttpSession>();

  add(session: HttpSession): string {
    const id = randomUUID();
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size > maxSessions) this.end(oldest);
    return id;
  }

  find(id: string): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** Whether there was such a session. */
  end(id: string): boolean {
    this.#sessions.get(id)?.close();
    return this.#sessions.delete(id);
  }

  close(): void {
    for (const id of [...this.#sessions.keys()]) this.end(id);
  }
}
