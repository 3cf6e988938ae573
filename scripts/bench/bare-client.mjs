// A client of Node.js without timing, checks or statistics: the limit of any client that uses its sockets. Prints the
// count of its calls. `node bare-client.mjs URL CONNECTIONS DURATION_MS WARM_UP_MS`.
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [url, connections, durationMs, warmUpMs] = process.argv.slice(2);
const { host, hostname, port } = new URL(url);
const REQUEST = Buffer.from(`GET /health HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n\r\n`);
let answered = 0;

function connect() {
  // An answer fits into one read, so each read is an answer.
  const onread = {
    buffer: Buffer.allocUnsafe(64 * 1024),
    callback: () => {
      answered += 1;
      socket.write(REQUEST);
      return true;
    },
  };
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true, onread });
  return socket;
}

const sockets = Array.from({ length: Number(connections) }, connect);
await Promise.all(sockets.map((socket) => once(socket, 'connect')));
for (const socket of sockets) socket.write(REQUEST);
await sleep(Number(warmUpMs));
const before = answered;
const startMs = performance.now();
await sleep(Number(durationMs));
console.log(JSON.stringify({ count: answered - before, durationMs: performance.now() - startMs }));
process.exit();
