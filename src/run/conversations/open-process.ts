import type { Json, JsonObject } from '../../json/json.ts';
import type { HeardExchange } from '../../model/exchange.ts';
import type { Era } from '../../model/wire.ts';
import { ProcessConversation, type ProcessSettings } from '../../probe/stdio/process-conversation.ts';
import type { Message } from '../../wires/mcp/messages.ts';
import { INITIALIZED, newestOf, openingMessage, readOpening } from '../../wires/mcp/opening.ts';
import type { Opening, OpeningFailure, OpeningSettings } from './opened.ts';
import { type Asked, ask, lineOf, overProcess, said, wrote } from './process-messages.ts';

export interface ProcessOpening extends OpeningSettings, Pick<ProcessSettings, 'command' | 'env' | 'cwd'> {
  /** Of the processes: the first one has it as it is. */
  readonly name?: string | undefined;
  /** After so much silence, the server is asked in the session era too. */
  readonly silenceMs?: number | undefined;
}

const SILENCE_MS = 3000;
/** A notification has no answer. */
const NO_WAIT_MS = 1;

/**
 * Opens a conversation over the standard streams of a process, and finds out the era that the server speaks.
 *
 * `server/discover` must be the first message, because a server may decide by the first one. A server of the session
 * era answers it with an error, and is then asked to initialize. One that says nothing for a while is also asked to
 * initialize: the first answer decides. Once `initialize` was written, a process is used for the session era only. A
 * server that ends is started once more, for `initialize` alone.
 */
export async function openProcess(settings: ProcessOpening): Promise<Opening> {
  const { era, handshake } = settings;
  const opener = new ProcessOpener(settings);
  if (!handshake) return opener.startIn(era === 'auto' ? 'session' : era);
  if (settings.version != null) return opener.openIn(era === 'auto' ? 'session' : era, settings.version);
  return era === 'auto' ? opener.detect() : opener.openIn(era);
}

class ProcessOpener {
  readonly #settings: ProcessOpening;
  readonly #exchanges: HeardExchange[] = [];
  readonly #notes: string[] = [];
  #processes = 0;
  #nextId = 1;

  constructor(settings: ProcessOpening) {
    this.#settings = settings;
  }

  /** Without a question. */
  startIn(era: Era): Opening {
    return this.#opened(this.#start(), era, newestOf(era), null);
  }

  /** In this era only, in a separate process. */
  openIn(era: Era, version = newestOf(era)): Promise<Opening> {
    return this.#open(this.#start(), era, version);
  }

  async detect(): Promise<Opening> {
    const process = this.#start();
    const { clock, silenceMs = SILENCE_MS, signal } = this.#settings;
    const over = new AbortController();
    const both = AbortSignal.any([signal, over.signal]);
    const discovering = this.#ask(process, 'stateless', newestOf('stateless'), both);
    const early = await Promise.race([discovering, clock.sleep(silenceMs, both)]);
    if (early !== undefined) return this.#afterDiscover(process, early);
    const initializing = this.#ask(process, 'session', newestOf('session'), both);
    const first = await Promise.race([discovering, initializing]);
    if (first.era === 'stateless' && isStateless(first)) {
      over.abort();
      await process.close();
      return this.openIn('stateless');
    }
    const asked = await initializing;
    over.abort();
    if (asked.exchange.end === 'closed') return this.#startAgain(process, asked);
    return this.#settle(process, 'session', newestOf('session'), asked);
  }

  async #afterDiscover(process: ProcessConversation, asked: Asked): Promise<Opening> {
    const { end } = asked.exchange;
    if (end === 'closed') return this.#startAgain(process, asked);
    if (asked.meant === null) return this.#notOpen(process, asked);
    const version = newestOf('stateless');
    const reading = readOpening('stateless', version, asked.meant);
    if (reading.kind === 'refused') return this.#open(process, 'session', newestOf('session'));
    return this.#settle(process, 'stateless', version, asked);
  }

  /** The server may have ended because of a first message that it does not know. */
  async #startAgain(process: ProcessConversation, { method }: Asked): Promise<Opening> {
    const { ended } = await process.close();
    this.#notes.push(
      `The server ended after ${method} (${ended?.reason}), and was started again with initialize alone.`,
    );
    return this.openIn('session');
  }

  async #open(process: ProcessConversation, era: Era, version: string): Promise<Opening> {
    return this.#settle(process, era, version, await this.#ask(process, era, version, this.#settings.signal));
  }

  async #settle(
    process: ProcessConversation,
    era: Era,
    version: string,
    asked: Asked,
    refused: readonly string[] = [],
  ): Promise<Opening> {
    if (asked.answer === null) return this.#notOpen(process, asked);
    const reading = readOpening(era, version, asked.answer);
    if (reading.kind === 'refused')
      return this.#fail(process, 'refused', `The server opens no conversation: ${reading.reason}.`);
    if (reading.kind === 'opened') {
      if (era === 'session') await this.#notify(process, INITIALIZED);
      return this.#opened(process, era, reading.version, reading.name);
    }
    const isAllowed =
      this.#settings.version == null && (this.#settings.era === 'auto' || reading.era === era);
    if (!isAllowed || refused.includes(reading.version))
      return this.#fail(process, 'refused', `The server refused the revision ${version}: ${said(asked)}`);
    this.#notes.push(
      `The server refused the revision ${version}, and was asked again for ${reading.version}. It said: ${said(asked)}`,
    );
    // A process is used for one era.
    const next = reading.era === era ? process : this.#start();
    if (next !== process) await process.close();
    const again = await this.#ask(next, reading.era, reading.version, this.#settings.signal);
    return this.#settle(next, reading.era, reading.version, again, [...refused, version]);
  }

  #opened(process: ProcessConversation, era: Era, version: string, name: string | null): Opening {
    return {
      kind: 'open',
      conversation: overProcess(process, this.#settings.signal),
      spoken: { wire: 'mcp', channel: 'stdio', era, version },
      name,
      nextId: this.#nextId,
      ...this.#learned(),
    };
  }

  #start(): ProcessConversation {
    this.#processes += 1;
    this.#nextId = 1;
    const { name = 'main' } = this.#settings;
    return new ProcessConversation({
      ...this.#settings,
      name: this.#processes === 1 ? name : `${name}-${this.#processes}`,
    });
  }

  async #ask(process: ProcessConversation, era: Era, version: string, signal: AbortSignal): Promise<Asked> {
    const id = this.#nextId;
    this.#nextId += 1;
    const message = openingMessage(era, id, version, this.#settings.client);
    const asked = await ask(process, { era, id, message }, this.#settings.startTimeoutMs, signal);
    this.#exchanges.push(asked.exchange);
    return asked;
  }

  async #notify(process: ProcessConversation, message: JsonObject): Promise<void> {
    const { signal } = this.#settings;
    const key = `${process.name}/${String(message.method)}`;
    const bytes = lineOf(message);
    this.#exchanges.push(
      await process.exchange({ key, awaited: null, bytes, isAnswer: null, timeoutMs: NO_WAIT_MS, signal }),
    );
  }

  async #notOpen(process: ProcessConversation, { method, exchange, meant }: Asked): Promise<Opening> {
    const seconds = this.#settings.startTimeoutMs / 1000;
    const fail = (failure: OpeningFailure, message: string) => this.#fail(process, failure, message);
    switch (exchange.end) {
      case 'closed':
        return fail('ended', `The command ended before it answered ${method}`);
      case 'interrupted':
        return fail('interrupted', 'The start of the server was interrupted.');
      case 'answered':
        return fail('refused', unusable(method, meant, exchange.request.message.awaited));
      case 'not-read':
        return fail(
          'silent',
          `The server did not read ${method} within ${seconds} s. Give it longer to start with --start-timeout.`,
        );
      case 'silent':
        return fail(
          'silent',
          `The server did not answer ${method} within ${seconds} s of its start.${wrote(process)} Give it longer with --start-timeout.`,
        );
      default:
        return exchange.end satisfies never;
    }
  }

  async #fail(process: ProcessConversation, failure: OpeningFailure, message: string): Promise<Opening> {
    const { ended, stderr } = await process.close();
    const how = failure === 'ended' && ended !== null ? `: ${ended.reason}.` : '';
    const lines = stderr.trimEnd();
    const tail = lines === '' ? '' : `\nIts last lines of standard error:\n${lines}`;
    return { kind: 'not-open', failure, message: `${message}${how}${tail}`, ...this.#learned() };
  }

  #learned(): Pick<Opening, 'exchanges' | 'notes'> {
    return { exchanges: this.#exchanges, notes: this.#notes };
  }
}

/** Why an answer is not the one that was waited for. */
function unusable(method: string, meant: Message | null, id: Json): string {
  return meant === null
    ? `The answer to ${method} is too large to be read.`
    : `The answer to ${method} has the id "${id}" (a string), and the request had ${id} (a number): return the id as it came.`;
}

function isStateless({ answer }: Asked): boolean {
  return answer !== null && readOpening('stateless', newestOf('stateless'), answer).kind !== 'refused';
}
