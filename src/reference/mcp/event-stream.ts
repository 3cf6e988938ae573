import { Readable } from 'node:stream';
import type { Outlet } from './protocol/caller.ts';
import type { Answer } from './protocol/messages.ts';

/** How long a client waits before it connects again. */
const retryMs = 500;
/** What is older cannot be sent again. */
const maxKeptEvents = 100;

/** Messages as server-sent events. With a name, its events have ids, and a client whose connection broke can resume it. */
export class EventStream {
  readonly #name: string | undefined;
  readonly #kept: { readonly number: number; readonly event: string }[] = [];
  #count = 0;
  #connection: Readable | undefined;
  #hasEnded = false;
  #isPrimed = false;

  constructor(name?: string) {
    this.#name = name;
  }

  /** Whether a client reads it. */
  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** The body of an answer: the events after this one, and all that follow. */
  connect(after: number): Readable {
    this.#close();
    const connection = new Readable({ read: () => undefined });
    this.#connection = connection;
    connection.once('close', () => {
      if (this.#connection === connection) this.#connection = undefined;
    });
    // A comment, so that the client has the headers of the answer at once.
    connection.push(':\n\n');
    for (const { number, event } of this.#kept) if (number > after) connection.push(event);
    if (this.#hasEnded) this.#close();
    return connection;
  }

  /** An event without a message: with its id the client can resume the stream before it has a message. */
  readonly prime = (): void => {
    this.#isPrimed = true;
    this.#push(`retry: ${retryMs}\ndata: \n\n`);
  };

  readonly send = (text: string): void => this.#push(`data: ${text}\n\n`);

  /** Without an event to resume from, the client would lose the rest. */
  readonly disconnect = (): void => {
    if (this.#isPrimed) this.#close();
  };

  end(): void {
    this.#hasEnded = true;
    this.#close();
  }

  #close(): void {
    this.#connection?.push(null);
    this.#connection = undefined;
  }

  #push(event: string): void {
    this.#count += 1;
    if (this.#name === undefined) {
      this.#connection?.push(event);
      return;
    }
    const identified = `id: ${this.#name}.${this.#count}\n${event}`;
    this.#kept.push({ number: this.#count, event: identified });
    if (this.#kept.length > maxKeptEvents) this.#kept.shift();
    this.#connection?.push(identified);
  }
}

/**
 * Resolves with the answer to a request, or, as soon as something must be sent before the answer, with an event stream
 * that ends with the answer.
 */
export const answerOrStream = (
  openStream: () => EventStream,
  answering: (outlet: Outlet) => Promise<Answer | undefined>,
): Promise<Answer | Readable | undefined> =>
  new Promise((resolve, reject) => {
    let stream: EventStream | undefined;
    const opened = (): EventStream => {
      if (stream === undefined) {
        stream = openStream();
        resolve(stream.connect(0));
      }
      return stream;
    };
    const outlet: Outlet = {
      isOpen: true,
      send: (text) => opened().send(text),
      disconnect: () => opened().disconnect(),
    };
    answering(outlet).then((answer) => {
      if (answer !== undefined) stream?.send(answer.text);
      stream?.end();
      resolve(answer);
    }, reject);
  });
