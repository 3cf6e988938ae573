import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { bytesOf, type Change, messageIn } from './http-subject.ts';
import type { SubjectOptions } from './subject-options.ts';
// biome-ignore lint/correctness/useImportExtensions: stdio-subject.mjs runs it without a build
import { createSubject } from './subject-tools.mjs';

const PIPE = path.join(import.meta.dirname, 'stdio-pipe.mjs');

/** As the change of an answer: the process ends. */
export const END = Symbol('end');

export interface PipedSubjectOptions extends SubjectOptions {
  readonly change?: Change;
  /** Ends when a line is not JSON. */
  readonly fragile?: boolean;
  /** The code of the error about what is no JSON. */
  readonly codes?: readonly [parse: number, invalid: number];
  /** Stays when its input ends. */
  readonly lingering?: boolean;
  /** Writes this line first. */
  readonly banner?: string;
}

/** The server over standard streams, with answers that functions of this process change. */
export async function startPipedSubject({
  change = (message) => message,
  fragile = false,
  lingering = false,
  codes: [parseCode] = [-32700, -32600],
  banner,
  ...options
}: PipedSubjectOptions): Promise<{
  readonly command: readonly [string, ...string[]];
  close(): Promise<void>;
}> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    const write = (sent: unknown): void => {
      if (socket.writable) socket.write(Buffer.concat([Buffer.from(bytesOf(sent)), Buffer.from('\n')]));
    };
    const answer = createSubject(options, write);
    if (banner !== undefined) write(banner);
    const take = async (line: string): Promise<void> => {
      const message = messageIn(line);
      if (message === null) {
        if (fragile) return void socket.destroy();
        return write({ jsonrpc: '2.0', id: null, error: { code: parseCode, message: 'this is no JSON' } });
      }
      const answered = await answer(message);
      if (answered === null) return;
      const sent = await change(answered.answer, message);
      if (sent === END) return void socket.destroy();
      for (const one of Array.isArray(sent) ? sent : [sent]) write(one);
    };
    createInterface({ input: socket }).on('line', (line) => void take(line));
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('end', () => {
      if (!lingering) socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    command: [process.execPath, PIPE, String((server.address() as AddressInfo).port)],
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
