import type { Outlet } from './protocol/caller.ts';
import type { Catalog } from './protocol/catalog.ts';
import {
  type Answer,
  type Batch,
  errorAnswer,
  type Id,
  type Message,
  ProtocolError,
  type Request,
} from './protocol/messages.ts';
import { Session } from './session.ts';
import { answerStateless, isStateless } from './stateless.ts';

/**
 * What one client says: over the streams of a process, or in a session over HTTP. Each message goes to the era that it
 * belongs to: a request that names its revision in `_meta` to `stateless.ts`, all others to the session. It does no
 * input and output.
 */
export class Conversation {
  readonly #catalog: Catalog;
  readonly #session: Session;
  readonly #running = new Map<Id, AbortController>();
  readonly #closing = new AbortController();

  constructor(catalog: Catalog, sendUnasked: (text: string) => void) {
    this.#catalog = catalog;
    this.#session = new Session(catalog, sendUnasked);
  }

  /** The revision of the session; undefined before it is open. */
  get revision(): string | undefined {
    return this.#session.revision;
  }

  /** Resolves with undefined if nothing must be sent: for notifications, responses and cancelled requests. */
  async answer(message: Message | Batch, outlet: Outlet): Promise<Answer | undefined> {
    switch (message.kind) {
      case 'request':
        return this.#answerRequest(message, outlet);
      case 'cancellation':
        this.#running.get(message.requestId ?? '')?.abort();
        return undefined;
      case 'notification':
        return undefined;
      case 'response':
        this.#session.receive(message.id, message.result);
        return undefined;
      case 'invalid':
        return message.answer;
      case 'batch':
        return this.#answerBatch(message, outlet);
    }
  }

  /** Ends what would otherwise go on until the client ends it. */
  close(): void {
    this.#closing.abort();
    this.#session.close();
  }

  async #answerRequest(request: Request, outlet: Outlet): Promise<Answer | undefined> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(request.id, controller);
    const options = { outlet, signal, closing: this.#closing.signal };
    const answer = await (isStateless(request)
      ? answerStateless(this.#catalog, request, options)
      : this.#session.answer(request, options));
    this.#running.delete(request.id);
    return signal.aborted ? undefined : answer;
  }

  async #answerBatch({ messages }: Batch, outlet: Outlet): Promise<Answer | undefined> {
    if (this.revision !== '2025-03-26') {
      const error = new ProtocolError('invalidRequest', 'Only revision 2025-03-26 has batches.');
      return errorAnswer(undefined, error, 400);
    }
    const answers = await Promise.all(messages.map((message) => this.answer(message, outlet)));
    const texts = answers.flatMap((answer) => answer?.text ?? []);
    return texts.length === 0 ? undefined : { status: 200, text: `[${texts.join(',')}]` };
  }
}
