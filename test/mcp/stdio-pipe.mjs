// A server over standard streams whose messages another process reads and writes: node stdio-pipe.mjs PORT
import net from 'node:net';

const socket = net.connect(Number(process.argv[2]), '127.0.0.1');
process.stdin.pipe(socket);
socket.pipe(process.stdout, { end: false });
// An error is followed by `close`.
socket.on('error', () => undefined).on('close', () => process.exit(0));
