import type { Secret } from '../model/probe.ts';
import type { GivenHeader } from '../probe/given-headers.ts';
import { createRedactor } from '../probe/redactor.ts';
import { openRemoteSession, type RemoteSubject } from './http-connection.ts';
import type { ListeningSettings } from './start-bridge.ts';

/** How to open sessions with a server of the Model Context Protocol, without showing its secrets. */
export type McpTarget = Pick<ListeningSettings, 'open' | 'redactor'>;

export interface RemoteServer extends Omit<RemoteSubject, 'headers' | 'maxAnswerBytes'> {
  /** Sent with every request. */
  readonly headers: readonly GivenHeader[];
  /** The values to remove from answers. */
  readonly secrets: readonly Secret[];
  /** Default: 16 MB. */
  readonly maxAnswerBytes?: number;
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** A server at an address: over streamable HTTP, or over the older SSE transport. */
export function remoteTarget({ headers, secrets, ...rest }: RemoteServer): McpTarget {
  const subject: RemoteSubject = {
    maxAnswerBytes: MAX_ANSWER_BYTES,
    ...rest,
    headers: headers.map(({ name, value }) => [name, value] as const),
  };
  return {
    open: (options) => openRemoteSession(subject, options),
    redactor: createRedactor(secrets),
  };
}
