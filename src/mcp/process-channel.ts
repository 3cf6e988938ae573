import { once } from 'node:events';
import { createLineReader } from './line-reader.ts';
import { type ChannelListener, type MessageChannel, objectIn } from './message-channel.ts';
import type { SubjectProcess } from './stdio-connection.ts';

const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** A channel over the standard streams of a process. */
export function openProcessChannel(started: SubjectProcess, listener: ChannelListener): MessageChannel {
  const { stdin, stdout } = started;
  const ended = started.ended.then(listener.onEnd);
  const read = createLineReader(MAX_LINE_BYTES, {
    onLine: (line) => {
      const message = objectIn(line);
      if (message === undefined) listener.onNoise(line);
      else listener.onMessage(message, line.length);
    },
    onTooLong: () => listener.onTooLarge(MAX_LINE_BYTES),
  });
  stdout.on('data', read);
  // Without listeners, an error would end this process. The end of the server is reported by `ended`.
  for (const stream of [stdin, stdout]) stream.on('error', () => undefined);
  return {
    send: async (text) => {
      if (text !== null) stdin.write(`${text}\n`);
      return null;
    },
    end: async ({ signal }) => {
      stdin.end();
      await Promise.race([ended, once(signal, 'abort')]);
      return null;
    },
    close: () => started.stop(),
  };
}
