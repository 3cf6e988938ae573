import { setTimeout as delay } from 'node:timers/promises';
import { FunctionFailure } from '../define-function.ts';
import type { JsonObject } from '../validate-input.ts';
import type { Outlet } from './protocol/caller.ts';
import { type Id, notificationText } from './protocol/messages.ts';
import {
  type Answers,
  fits,
  missingCapabilities,
  type Question,
  type Questions,
} from './protocol/questions.ts';

/** People need time to answer; who has left never does. */
const maxAnswerMs = 300_000;

type Receive = (result: JsonObject | undefined) => void;

/** The requests that the server sends to the client of a session. */
export class ClientRequests {
  readonly #waiting = new Map<Id, Receive>();
  #count = 0;

  /** Resolves with the answers to all questions; fails with words for the caller if one has none. */
  async ask(
    questions: Questions,
    declared: JsonObject,
    outlet: Outlet,
    signal: AbortSignal,
  ): Promise<Answers> {
    const missing = missingCapabilities(declared, Object.values(questions));
    if (missing !== undefined)
      throw new FunctionFailure(`The client does not offer ${Object.keys(missing).join(' and ')}.`);
    if (!outlet.isOpen) throw new FunctionFailure('The client accepts no stream on which it can be asked.');
    const answered = Object.entries(questions).map(async ([name, question]) => [
      name,
      await this.#askOne(question, outlet, signal),
    ]);
    return Object.fromEntries(await Promise.all(answered));
  }

  /** What the client answers to a request; nothing waits for an answer that comes too late. */
  receive(id: Id | undefined, result: JsonObject | undefined): void {
    this.#waiting.get(id ?? '')?.(result);
  }

  async #askOne(question: Question, outlet: Outlet, signal: AbortSignal): Promise<JsonObject> {
    this.#count += 1;
    const id = `"server-${this.#count}"`;
    const answered = new Promise<JsonObject | undefined>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    const { method } = question;
    // Sessions have ids for the pages that users are asked to open.
    const params =
      question.params.mode === 'url'
        ? { elicitationId: id.slice(1, -1), ...question.params }
        : question.params;
    outlet.send(`{"jsonrpc":"2.0","id":${id},${JSON.stringify({ method, params }).slice(1)}`);
    const ended = new AbortController();
    const given = AbortSignal.any([signal, ended.signal]);
    const result = await Promise.race([answered, delay(maxAnswerMs, 'late', { signal: given })])
      .catch(() => 'unwanted' as const)
      .finally(() => {
        this.#waiting.delete(id);
        ended.abort();
      });
    if (typeof result === 'string') {
      const cancelled = notificationText('notifications/cancelled', {}, `"requestId":${id}`);
      outlet.send(cancelled);
    }
    if (!fits(question, result)) throw new FunctionFailure('The client did not answer.');
    return result;
  }
}
