import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createGuardedFetch, type GuardedFetch } from '../../src/probe/guarded-fetch.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that sends the whole answer at once, and ends the connection. */
async function sendingAtOnce(
  bytes: number,
): Promise<{ readonly url: string; readonly ended: Promise<void> }> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    for (const event of ['finish', 'close']) socket.once(event, end);
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\nconnection: close\r\n\r\n`);
      socket.end(Buffer.alloc(bytes, 'a'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ended };
}

function guarded(maxBytes: number): GuardedFetch {
  const made = createGuardedFetch({
    publicOnly: false,
    ca: null,
    connectTimeoutMs: 5000,
    viaProxy: false,
    maxBytes,
  });
  closers.push(() => void made.close());
  return made;
}

test('an answer that is read late, after the server has ended the connection, is whole', async () => {
  const { url, ended } = await sendingAtOnce(20_000);
  const response = await guarded(1_000_000).fetch(url);
  await ended;
  expect((await response.text()).length).toBe(20_000);
});

test('an answer that nobody reads does no harm', async () => {
  const { url, ended } = await sendingAtOnce(20_000);
  const { status } = await guarded(1_000_000).fetch(url);
  await ended;
  expect(status).toBe(200);
});

test('an answer above the limit is not kept, even if nobody reads it', async () => {
  const { url, ended } = await sendingAtOnce(5_000_000);
  const response = await guarded(100_000).fetch(url);
  await ended;
  await expect(response.text()).rejects.toThrow();
});
