import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseExactly, stringifyExactly } from '../json/exact-json.ts';
import { LineSplitter } from '../probe/stdio/line-splitter.ts';
import { type Connection, END_NOTICE_MS } from './session.ts';
import { readable, TOO_LONG_MESSAGE } from './subject.ts';

/** A started process that exchanges messages over its standard input and output. */
export interface SubjectProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with the reason when it ends without being stopped. */
  readonly ended: Promise<string>;
  /** Closes its standard input, ends all of its processes and waits for them. */
  stop(): Promise<void>;
}

/** A longer message is left out, before it takes the memory of this process. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** One message on each line, in both directions (Model Context Protocol, transports, stdio). */
export function connectProcess(started: SubjectProcess): Connection {
  const { stdin, stdout } = started;
  let tellEnd: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    tellEnd = resolve;
  });
  void started.ended.then(tellEnd);
  /** The end of the process, which says more, may be reported a moment later. */
  const tellUnlessOver = (reason: string): void => {
    void Promise.race([started.ended, delay(END_NOTICE_MS, reason, { ref: false })]).then(tellEnd);
  };
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= started.stop();
    return stopping;
  };
  /** Ids of requests that are not answered. */
  const pending = new Set<string | number>();
  let isCorked = false;
  /** Writing to the pipe is the costliest part of a call, so messages of one turn of the event loop are one write. */
  const corkForThisTurn = (): void => {
    if (isCorked) return;
    isCorked = true;
    stdin.cork();
    setImmediate(() => {
      isCorked = false;
      stdin.uncork();
    });
  };
  /** The line may be the answer to any of them. */
  const refuseTooLong = (): void => {
    const message = `the server sent a message of more than ${MAX_LINE_BYTES} bytes`;
    for (const id of pending)
      transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: TOO_LONG_MESSAGE, message } });
    pending.clear();
  };
  const transport: Transport = {
    start: async () => {
      const lines = new LineSplitter(MAX_LINE_BYTES, (line, omittedBytes) => {
        if (omittedBytes > 0) return refuseTooLong();
        const message = parsed(line.toString('utf8'));
        if (message === undefined) return transport.onerror?.(new Error('a line is no JSON-RPC message'));
        if ('id' in message && !('method' in message) && message.id !== undefined) pending.delete(message.id);
        transport.onmessage?.(message);
      });
      stdout.on('data', (chunk: Buffer) => lines.push(chunk));
      stdout.once('close', () => tellUnlessOver('the server closed its standard output'));
      // Without a listener, writing to a process that has ended would end this one.
      stdin.on('error', () => tellUnlessOver('the server closed its standard input'));
      stdout.on('error', () => tellEnd('the standard output of the server cannot be read'));
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if ('id' in message && 'method' in message) pending.add(message.id);
        // Nobody waits for its answer any more.
        if ('method' in message && message.method === 'notifications/cancelled')
          pending.delete(message.params?.requestId as string | number);
        corkForThisTurn();
        stdin.write(`${stringifyExactly(message)}\n`, (error) => (error == null ? resolve() : reject(error)));
      }),
    close: async () => {
      transport.onclose?.();
      void stop();
    },
  };
  return { transport, kind: 'stdio', ended, close: stop };
}

/** Undefined for a line that holds no JSON object; the receiver ignores such lines. */
function parsed(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = parseExactly(line);
    return typeof value === 'object' && value !== null ? readable(value) : undefined;
  } catch {
    return undefined;
  }
}
