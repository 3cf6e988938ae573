import net, { type AddressInfo } from 'node:net';
import { exchangeKey } from '../model/exchange-key.ts';
import type { Clock, Probe } from '../model/probe.ts';
import { wholeBody } from '../model/sent.ts';
import { createLiveProbe, DEFAULT_BOUNDS } from './live-probe.ts';

const ANSWER =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}';
const ROUNDS = 2;
const TIMEOUT_MS = 1000;

let warmed: Promise<void> | null = null;

/**
 * Sends a few requests to a local socket, once in a process. The first request of a process compiles the HTTP client,
 * which takes tens of milliseconds that would otherwise be counted as the target's.
 */
export function warmUp(clock: Clock, signal: AbortSignal): Promise<void> {
  const plain = { headers: [], secrets: [], publicOnly: false, ca: null, bounds: DEFAULT_BOUNDS };
  warmed ??= sendRounds(createLiveProbe({ ...plain, clock, signal }));
  return warmed;
}

async function sendRounds(probe: Probe): Promise<void> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(ANSWER));
  });
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, '127.0.0.1', () => resolve(true));
  });
  // If listening is not allowed, the timings of the run are only a little less exact.
  if (!listening) return;
  const { port } = server.address() as AddressInfo;
  for (let round = 0; round < ROUNDS; round += 1) {
    await probe.send({
      key: exchangeKey('warm-up', round),
      method: 'POST',
      url: `http://127.0.0.1:${port}/`,
      headers: [],
      body: wholeBody(Buffer.from('{}')),
      abortAfterBytes: null,
      timeoutMs: TIMEOUT_MS,
      feedsLaterSteps: false,
      anonymous: true,
      connection: null,
      upgrade: null,
    });
  }
  server.close();
}
