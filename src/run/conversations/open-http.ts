import { stringifyExactly } from '../../json/exact-json.ts';
import { type JsonObject, shorten } from '../../json/json.ts';
import {
  type AnsweredExchange,
  type Exchange,
  headerValue,
  isSuccess,
  type TransportFailure,
  type UnansweredExchange,
} from '../../model/exchange.ts';
import { bufferFrom } from '../../model/sent.ts';
import type { Era } from '../../model/wire.ts';
import { messagesOf } from '../../wires/mcp/answer.ts';
import { answersTo, type Message } from '../../wires/mcp/messages.ts';
import {
  INITIALIZED,
  isStatelessError,
  knownIn,
  METHOD_NOT_FOUND,
  newestOf,
  type OpeningReading,
  openingMessage,
  readOpening,
  versionsIn,
} from '../../wires/mcp/opening.ts';
import { HttpConversation, type HttpSettings } from './http-conversation.ts';
import type { Opening, OpeningFailure } from './opened.ts';

/**
 * Opens a conversation over HTTP, and finds out the era that the server speaks: `server/discover` is answered by a server
 * of the stateless era, with a result or with an error that only that era has. Any other answer is followed by
 * `initialize`. A server that answers neither may speak the transport of 2024-11-05, which is recognised and not spoken.
 */
export async function openHttp(settings: HttpSettings): Promise<Opening> {
  const { era, handshake } = settings;
  const opener = new HttpOpener(settings);
  if (!handshake) return opener.startIn(era === 'auto' ? 'session' : era);
  if (settings.version != null) return opener.openIn(era === 'auto' ? 'session' : era, settings.version, []);
  if (era !== 'auto') return opener.openIn(era, newestOf(era), []);
  return opener.detect();
}

/** An answered question, and the message that answers it; null without one. */
interface Asked {
  readonly exchange: AnsweredExchange;
  readonly method: string;
  readonly answer: Message | null;
}

/** A server that keeps the stream open sends its first event at once. */
const OLD_TRANSPORT_MS = 5000;
const GATED = [401, 403];

class HttpOpener {
  readonly #settings: HttpSettings;
  readonly #conversation: HttpConversation;
  readonly #exchanges: Exchange[] = [];
  readonly #notes: string[] = [];
  #nextId = 1;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    this.#conversation = new HttpConversation(settings);
  }

  /** Without a question. */
  startIn(era: Era): Opening {
    const version = newestOf(era);
    this.#conversation.speak(era, era === 'stateless' ? version : null);
    return this.#opened(era, version, null);
  }

  async detect(): Promise<Opening> {
    const version = newestOf('stateless');
    const asked = await this.#ask('stateless', version);
    if (asked.kind === 'unanswered' && asked.reason.fault !== 'server') return this.#unanswered(asked.reason);
    if (asked.kind === 'asked') {
      if (GATED.includes(asked.exchange.response.status)) return this.#gated(asked);
      const reading = readDiscovery(asked, version);
      if (reading.kind !== 'refused') return this.#settle('stateless', version, asked, reading, []);
    }
    return this.openIn('session', newestOf('session'), []);
  }

  /** In this era, unless the server names a revision of another one. */
  async openIn(era: Era, version: string, refused: readonly string[]): Promise<Opening> {
    const asked = await this.#ask(era, version);
    if (asked.kind === 'unanswered') return this.#unanswered(asked.reason);
    if (GATED.includes(asked.exchange.response.status)) return this.#gated(asked);
    const reading = era === 'stateless' ? readDiscovery(asked, version) : readInitialize(asked, version);
    return this.#settle(era, version, asked, reading, refused);
  }

  async #settle(
    era: Era,
    version: string,
    asked: Asked,
    reading: OpeningReading,
    refused: readonly string[],
  ): Promise<Opening> {
    if (reading.kind === 'opened') {
      this.#conversation.speak(era, reading.version);
      if (era === 'session') await this.#send(INITIALIZED, null);
      if (era === 'session' && this.#settings.client.capabilities !== undefined) this.#conversation.listen();
      return this.#opened(era, reading.version, reading.name);
    }
    if (reading.kind === 'refused') return this.#refused(asked, reading.reason);
    const isAllowed =
      this.#settings.version == null && (this.#settings.era === 'auto' || reading.era === era);
    if (!isAllowed || refused.includes(reading.version))
      return this.#fail('refused', `The server refused the revision ${version}: ${said(asked.exchange)}`);
    this.#notes.push(
      `The server refused the revision ${version}, and was asked again for ${reading.version}. It said: ${said(asked.exchange)}`,
    );
    return this.openIn(reading.era, reading.version, [...refused, version]);
  }

  async #ask(era: Era, version: string): Promise<({ readonly kind: 'asked' } & Asked) | UnansweredExchange> {
    const id = this.#nextId;
    this.#nextId += 1;
    const message = openingMessage(era, id, version, this.#settings.client);
    this.#conversation.speak(era, era === 'stateless' ? version : null);
    const exchange = await this.#send(message, id);
    if (exchange.kind === 'unanswered') return exchange;
    const messages = messagesOf(exchange).map((one) => one.message);
    const answer =
      messages.find((one) => answersTo(id, one)) ??
      // A server that refuses a request before it reads the message does not know its id.
      messages.find((one) => one.kind === 'error' && (one.id ?? null) === null) ??
      null;
    return { kind: 'asked', exchange, method: String(message.method), answer };
  }

  async #send(message: JsonObject, awaited: number | null): Promise<AnsweredExchange | UnansweredExchange> {
    const exchange = await this.#conversation.send({
      key: `opening/${String(message.method)}#${this.#exchanges.length}`,
      bytes: Buffer.from(stringifyExactly(message)),
      message,
      awaited,
      timeoutMs: this.#settings.startTimeoutMs,
    });
    this.#exchanges.push(exchange);
    return exchange;
  }

  #opened(era: Era, version: string, name: string | null): Opening {
    return {
      kind: 'open',
      conversation: this.#conversation,
      spoken: { wire: 'mcp', channel: 'http', era, version },
      name,
      nextId: this.#nextId,
      ...this.#learned(),
    };
  }

  #unanswered({ code, message }: TransportFailure): Promise<Opening> {
    if (code === 'interrupted') return this.#fail('interrupted', 'The opening was interrupted.');
    return this.#fail(
      code === 'timeout' ? 'silent' : 'unreachable',
      `The server cannot be used: ${message}.`,
    );
  }

  #gated({ exchange, method }: Asked): Promise<Opening> {
    return this.#fail('gated', gatedWords(exchange, `to ${method}`));
  }

  async #refused({ exchange, method, answer }: Asked, reason: string): Promise<Opening> {
    const { status, headers } = exchange.response;
    if (answer !== null) return this.#fail('refused', `The server opens no conversation: ${reason}.`);
    const location = headerValue(headers, 'location');
    if (status >= 300 && status < 400 && location !== undefined)
      return this.#fail('refused', `The server has moved (HTTP ${status}). Use its new address: ${location}`);
    const endpoint = isSuccess(status) ? null : await this.#conversation.oldEndpoint(OLD_TRANSPORT_MS);
    if (endpoint !== null)
      return this.#fail(
        'old-transport',
        'The server speaks only the HTTP transport of revision 2024-11-05 (a GET opens a stream of events whose first one names an address for messages). It is deprecated since 2025-03-26, and not checked.',
      );
    return this.#fail(
      'refused',
      `The server answered ${method} with HTTP ${status} and no message of JSON-RPC: ${said(exchange)}\nCheck that the address is that of its endpoint, such as https://example.com/mcp.`,
    );
  }

  async #fail(failure: OpeningFailure, message: string): Promise<Opening> {
    await this.#conversation.close();
    return { kind: 'not-open', failure, message, ...this.#learned() };
  }

  #learned(): Pick<Opening, 'exchanges' | 'notes'> {
    return { exchanges: this.#exchanges, notes: this.#notes };
  }
}

/** What a server says that wants a key, and how to give it. */
export function gatedWords({ response }: AnsweredExchange, what: string): string {
  const challenge = headerValue(response.headers, 'www-authenticate');
  const said = challenge === undefined ? '' : ` and the challenge ${shorten(challenge)}`;
  return `The server wants a key: it answered HTTP ${response.status}${said} ${what}. Pass a token with --bearer-env NAME, or another header with --header.`;
}

/** An address that knows no such method, and says so in JSON-RPC with 404, is one of the stateless era. */
function readDiscovery({ exchange, answer }: Asked, version: string): OpeningReading {
  if (answer === null) return NO_MESSAGE;
  const isUnknownMethod = answer.kind === 'error' && answer.code === METHOD_NOT_FOUND;
  if (exchange.response.status === 404 && isUnknownMethod) return { kind: 'opened', version, name: null };
  const isOfEra = isSuccess(exchange.response.status) || isStatelessError(answer);
  return isOfEra ? readOpening('stateless', version, answer) : NO_MESSAGE;
}

const NO_MESSAGE: OpeningReading = { kind: 'refused', reason: 'it sent no answer of this era' };

/** A refusal of a revision may be a text without JSON-RPC. */
function readInitialize({ exchange, answer }: Asked, version: string): OpeningReading {
  if (answer !== null) return readOpening('session', version, answer);
  if (exchange.response.status !== 400) return NO_MESSAGE;
  return knownIn(versionsIn(bufferFrom(exchange.response.body).toString()), version) ?? NO_MESSAGE;
}

function said({ response }: AnsweredExchange): string {
  const text = bufferFrom(response.body).toString().trim();
  return text === '' ? 'an empty body' : shorten(text);
}
