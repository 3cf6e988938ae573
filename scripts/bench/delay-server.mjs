// A server that takes a known time for each answer and logs when a request came and its answer left, and since when it
// had not looked for requests, because the scheduler may take a core from any process for milliseconds. It opens one port
// for each delay on the command line. It is a separate process, so that it has its own core; it reports to its parent and
// ends with it.
import { once } from 'node:events';
import net from 'node:net';
import { createDelay } from './delays.mjs';
import { LONG_WRITE_MS } from './server-times.mjs';

const ANSWER = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"status":"ok"}',
);
const MAX_LOGGED = 2_000_000;
/** How long it polls after the last request, because waking up takes time that the log would not show. */
const AWAKE_MS = 50;

const arrivedMs = new Float64Array(MAX_LOGGED);
/** The bytes came after it: when the reading of the connections before the last one was over for certain. */
const notBeforeMs = new Float64Array(MAX_LOGGED);
const answeredMs = new Float64Array(MAX_LOGGED);
let logged = 0;
let epochMs = 0;
/** Pending answers, in the order of their due times. */
const queue = [];
let awakeUntilMs = 0;
let turning = false;
let longestGapMs = 0;
/** Between `performance.now()` and the clock that all processes share. */
const clockMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
/** When the last two turns began. The connections are read between two turns. */
let lastTurnMs = 0;
let turnBeforeMs = 0;

function hold(socket, delay) {
  const nowMs = performance.now();
  const index = logged++ % MAX_LOGGED;
  arrivedMs[index] = nowMs;
  notBeforeMs[index] = turning ? turnBeforeMs : nowMs;
  const held = { dueMs: delay(nowMs, epochMs), socket, index };
  let place = queue.length;
  while (place > 0 && queue[place - 1].dueMs > held.dueMs) place -= 1;
  queue.splice(place, 0, held);
  awakeUntilMs = nowMs + AWAKE_MS;
  if (turning) return;
  turning = true;
  turnBeforeMs = nowMs;
  lastTurnMs = nowMs;
  setImmediate(turn);
}

function turn() {
  let nowMs = performance.now();
  longestGapMs = Math.max(longestGapMs, nowMs - lastTurnMs);
  turnBeforeMs = lastTurnMs;
  lastTurnMs = nowMs;
  while (queue.length > 0 && queue[0].dueMs <= nowMs) {
    const { socket, index } = queue.shift();
    const writingMs = performance.now();
    if (socket.writable) socket.write(ANSWER);
    nowMs = performance.now();
    answeredMs[index] = nowMs - writingMs > LONG_WRITE_MS ? nowMs : writingMs;
  }
  turning = queue.length > 0 || nowMs < awakeUntilMs;
  if (turning) setImmediate(turn);
}

async function listen(name) {
  const delay = createDelay(name, Math.random);
  const server = net.createServer({ noDelay: true }, (socket) => {
    let lastBytes = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      // It receives only requests without a body, one after another.
      lastBytes = (lastBytes + chunk.latin1Slice()).slice(-4);
      if (lastBytes !== '\r\n\r\n') return;
      lastBytes = '';
      if (delay === null) socket.write(ANSWER);
      else hold(socket, delay);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return [name, `http://127.0.0.1:${server.address().port}`];
}

process.on('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);
process.on('message', (wanted) => {
  if (wanted === 'log') {
    process.send({
      arrivedMs: arrivedMs.slice(0, logged),
      notBeforeMs: notBeforeMs.slice(0, logged),
      answeredMs: answeredMs.slice(0, logged),
      epochMs,
      clockMs,
      longestGapMs,
    });
    return;
  }
  logged = 0;
  longestGapMs = 0;
  epochMs = performance.now();
  process.send('reset');
});
process.send(Object.fromEntries(await Promise.all(process.argv.slice(2).map(listen))));
