import type { Message, SubjectOptions } from './subject-options.ts';

/** Answers messages of the protocol. `send` takes what the server writes on its own. */
export function createSubject(
  options: SubjectOptions,
  send: (message: Message) => void,
): (message: Message) => Promise<Message | null>;
