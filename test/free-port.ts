import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign for port 0, so that no other test gets it meanwhile. */
const FIRST = 15_000;
const PORTS = 15_000;

/** A loopback port on which nothing listens unless the test starts a server. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** An address without a server. */
export async function deadAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
