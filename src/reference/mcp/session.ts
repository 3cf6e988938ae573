import { serverIdentity } from '../functions.ts';
import type { JsonObject } from '../validate-input.ts';
import { type Answer, errorAnswer, ProtocolError, type Request, resultAnswer } from './messages.ts';
import { capabilities, resultOf } from './methods.ts';
import { readResource } from './resources.ts';

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
  #revision: string | undefined;

  get isOpen(): boolean {
    return this.#revision !== undefined;
  }

  get hasBatches(): boolean {
    return this.#revision === '2025-03-26';
  }

  async answer(request: Request, signal: AbortSignal): Promise<Answer> {
    try {
      return resultAnswer(request.id, await this.#resultOf(request, signal));
    } catch (error) {
      return errorAnswer(request.id, error, 200);
    }
  }

  #resultOf(request: Request, signal: AbortSignal): JsonObject | Promise<JsonObject> {
    const { method, params } = request;
    if (method === 'initialize') return this.#initialize(params);
    if (method === 'ping') return {};
    if (this.#revision === undefined) throw notOpened();
    switch (method) {
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        // Nobody is ever notified, because the resources stay as they are.
        readResource(params, 'resourceNotFound');
        return {};
      case 'logging/setLevel':
        return setLevel(params);
      default:
        return resultOf(request, this.#revision, signal) ?? refuse(method);
    }
  }

  #initialize({ protocolVersion }: JsonObject): JsonObject {
    if (typeof protocolVersion !== 'string')
      throw new ProtocolError('invalidParams', 'protocolVersion must be a string.');
    this.#revision = sessionRevisions.includes(protocolVersion) ? protocolVersion : newestSessionRevision;
    return {
      protocolVersion: this.#revision,
      capabilities: { ...capabilities, resources: { subscribe: true }, logging: {} },
      serverInfo: serverIdentity,
    };
  }
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The result of logging/setLevel. The server logs nothing, so there is no level to keep. */
const setLevel = ({ level }: JsonObject): JsonObject => {
  if (!levels.includes(String(level)))
    throw new ProtocolError('invalidParams', `level must be one of ${levels.join(', ')}.`);
  return {};
};

const refuse = (method: string): never => {
  throw new ProtocolError('methodNotFound', `Unknown method: ${method}`);
};

/** The error also fits revision 2026-07-28, whose requests are invalid without `_meta`. */
export const notOpened = (): ProtocolError =>
  new ProtocolError('invalidParams', 'Send initialize first, or the _meta of revision 2026-07-28.');
