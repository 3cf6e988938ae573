import type { IncomingHttpHeaders } from 'node:http';
import type { Message, SubjectOptions } from './subject-options.ts';

/** The answer to a message, and its status over HTTP. */
export interface SubjectAnswer {
  readonly answer: Message;
  readonly status: number;
  /** A subscription: over HTTP, its stream stays open. */
  readonly staysOpen?: boolean;
}

/** Answers messages of the protocol. `send` takes what the server writes on its own. */
export function createSubject(
  options: SubjectOptions,
  send: (message: Message) => void,
): (
  message: Message,
  headers?: IncomingHttpHeaders,
  /** Sends what belongs to the stream of the message; left out: like `send`. */
  sendNow?: (message: Message) => void,
) => Promise<SubjectAnswer | null>;
