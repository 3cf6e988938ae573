// Loaded into a process under measurement before its own code: notes in each of its threads when writes to connections
// began and were over, so that a server's log can be compared with them.
import net from 'node:net';

const MAX_LOGGED = 2_000_000;

const beganMs = new Float64Array(MAX_LOGGED);
const endedMs = new Float64Array(MAX_LOGGED);
let logged = 0;

const { write } = net.Socket.prototype;
net.Socket.prototype.write = function (...args) {
  const index = logged++ % MAX_LOGGED;
  beganMs[index] = performance.now();
  const isFlushed = write.apply(this, args);
  endedMs[index] = performance.now();
  return isFlushed;
};

/** Between `performance.now()` of this thread and the clock that all processes share. */
const clockMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
const channel = new BroadcastChannel('log-writes');
channel.unref();
channel.onmessage = ({ data: wanted }) => {
  if (wanted === 'reset') logged = 0;
  if (wanted === 'log' && logged > 0)
    channel.postMessage({ beganMs: beganMs.slice(0, logged), endedMs: endedMs.slice(0, logged), clockMs });
};
