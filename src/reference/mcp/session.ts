import { isJsonObject, type JsonObject } from '../validate-input.ts';
import { ClientRequests } from './client-requests.ts';
import { capabilities, resultOf } from './methods.ts';
import { callerOf, isLogLevel, type LogLevel, logLevels, type RequestOptions } from './protocol/caller.ts';
import { type Catalog, lists, type Subject } from './protocol/catalog.ts';
import {
  type Answer,
  errorAnswer,
  type Id,
  notificationText,
  ProtocolError,
  type Request,
  resultAnswer,
} from './protocol/messages.ts';
import type { Answers, Questions } from './protocol/questions.ts';
import { resourceIn } from './resources.ts';
import { changeOf } from './subscriptions.ts';

const newestSessionRevision = '2025-11-25';
export const sessionRevisions: readonly string[] = [
  newestSessionRevision,
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
];

/**
 * Answers the requests of one session, in the revisions up to 2025-11-25. `initialize` agrees on the revision; before it,
 * only `ping` is answered with a result.
 */
export class Session {
  readonly #catalog: Catalog;
  /** Sends a message that belongs to no request. */
  readonly #sendUnasked: (text: string) => void;
  #revision: string | undefined;
  /** Until the client sets a level, it gets what most people want to see. */
  #minLevel: LogLevel = 'info';
  /** The capabilities of the client. */
  #declared: JsonObject = {};
  readonly #requests = new ClientRequests();
  /** Functions that end the watching, by the address of the resource or the name of the list. */
  readonly #watched = new Map<string, () => void>();

  constructor(catalog: Catalog, sendUnasked: (text: string) => void) {
    this.#catalog = catalog;
    this.#sendUnasked = sendUnasked;
  }

  /** Undefined before the session is open. */
  get revision(): string | undefined {
    return this.#revision;
  }

  async answer(request: Request, { outlet, signal, closing }: RequestOptions): Promise<Answer> {
    const declared = this.#declared;
    const waiting = AbortSignal.any([signal, closing]);
    const ask = (questions: Questions): Promise<Answers> =>
      this.#requests.ask(questions, declared, outlet, waiting);
    const options = { outlet, signal, minLevel: this.#minLevel, declared, ask };
    const { caller, finish } = callerOf(request, options);
    try {
      const result =
        this.#ownResultOf(request) ?? (await resultOf(this.#catalog, request, this.#opened(), caller));
      return resultAnswer(request.id, result ?? refuse(request.method));
    } catch (error) {
      return errorAnswer(request.id, error, 200);
    } finally {
      finish();
    }
  }

  /** What the client answers to a request of the server. */
  receive(id: Id | undefined, result: JsonObject | undefined): void {
    this.#requests.receive(id, result);
  }

  close(): void {
    for (const stop of this.#watched.values()) stop();
    this.#watched.clear();
  }

  /** The result of a method that only sessions have. */
  #ownResultOf({ method, params }: Request): JsonObject | undefined {
    if (method === 'initialize') return this.#initialize(params);
    if (method === 'ping') return {};
    const revision = this.#opened();
    switch (method) {
      case 'resources/subscribe':
        return this.#subscribe(resourceIn(this.#catalog, params, revision));
      case 'resources/unsubscribe':
        return this.#unsubscribe(resourceIn(this.#catalog, params, revision));
      case 'logging/setLevel':
        return this.#setLevel(params);
      default:
        return undefined;
    }
  }

  #opened(): string {
    if (this.#revision === undefined) throw notOpened();
    return this.#revision;
  }

  #initialize({ protocolVersion, capabilities: declared }: JsonObject): JsonObject {
    if (typeof protocolVersion !== 'string')
      throw new ProtocolError('invalidParams', 'protocolVersion must be a string.');
    this.#revision = sessionRevisions.includes(protocolVersion) ? protocolVersion : newestSessionRevision;
    this.#declared = isJsonObject(declared) ? declared : {};
    for (const list of lists) this.#watch(list, list);
    return { protocolVersion: this.#revision, capabilities, serverInfo: this.#catalog.identity };
  }

  #subscribe(uri: string): JsonObject {
    this.#watch(uri, { uri });
    return {};
  }

  #unsubscribe(uri: string): JsonObject {
    this.#watched.get(uri)?.();
    this.#watched.delete(uri);
    return {};
  }

  #watch(key: string, subject: Subject): void {
    if (this.#watched.has(key)) return;
    const { method, params } = changeOf(subject);
    const stop = this.#catalog.watch(subject, () => this.#sendUnasked(notificationText(method, params)));
    this.#watched.set(key, stop);
  }

  #setLevel({ level }: JsonObject): JsonObject {
    if (!isLogLevel(level))
      throw new ProtocolError('invalidParams', `level must be one of ${logLevels.join(', ')}.`);
    this.#minLevel = level;
    return {};
  }
}

const refuse = (method: string): never => {
  throw new ProtocolError('methodNotFound', `Unknown method: ${method}`);
};

/** The error also fits revision 2026-07-28, whose requests are invalid without `_meta`. */
export const notOpened = (): ProtocolError =>
  new ProtocolError('invalidParams', 'Send initialize first, or the _meta of revision 2026-07-28.');
