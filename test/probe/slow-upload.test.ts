import { afterEach, describe, expect, test } from 'vitest';
import { listen, type RawServer } from './raw-server.ts';
import { send, unanswered } from './send.ts';

/** Far more than the socket buffers hold. */
const BODY = Buffer.alloc(48 * 1024 * 1024, 'x');

let server: RawServer | undefined;
afterEach(async () => {
  await server?.close();
});

describe('a large body that is incomplete at the time-out', () => {
  test('is not blamed on a server that reads it slowly', async () => {
    server = await listen(({ socket }) => {
      socket.on('data', () => {
        socket.pause();
        setTimeout(() => socket.resume(), 10);
      });
    });
    const { reason } = unanswered(await send(server.url, { body: BODY, timeoutMs: 1500 }));
    expect(reason.fault).toBe('harness');
    // On a machine that is busy enough, the client itself had no time to write.
    expect(['slow-upload', 'client-suspended']).toContain(reason.code);
  });

  // The socket buffers must fill up in the first half of the time, also on a busy machine.
  test('is blamed on a server that stopped reading it', async () => {
    server = await listen(({ socket }) => socket.pause());
    const { reason } = unanswered(await send(server.url, { body: BODY, timeoutMs: 6000 }));
    expect(reason).toMatchObject({ code: 'timeout', fault: 'server' });
  });
});
