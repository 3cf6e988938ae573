// The targets of the section `fleet`: one process, an address of 127.0.0.0/8 for each target. The first part of the path
// says what a target does. Its log, by address, shows what the directory sent.
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { startReferenceServer } from '../../dist/index.js';

const SLOW_MS = 1500;
const RETRY_AFTER_SECONDS = 3600;
const CAPABILITIES = JSON.stringify({
  mcpVersion: '1.0',
  functions: [{ name: 'find_city', description: 'Finds a city by its name', inputs: [], outputs: [] }],
});

const log = new Map();
let round = 1;

/** Both servers, before they answer. */
channel('http.server.request.start').subscribe(({ request, response }) => {
  const address = request.socket.localAddress ?? '';
  const seen = log.get(address) ?? { begunAtMs: [], inFlight: 0, mostInFlight: 0 };
  log.set(address, seen);
  seen.begunAtMs.push(performance.now());
  seen.inFlight += 1;
  seen.mostInFlight = Math.max(seen.mostInFlight, seen.inFlight);
  response.once('close', () => {
    seen.inFlight -= 1;
  });
});

const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
  const [, behaviour, , operation] = (request.url ?? '').split('/');
  // It never answers.
  if (behaviour === 'hanging') return;
  const answer = () => {
    const [status, body, headers = {}] = answerOf(behaviour, operation);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
  if (behaviour === 'slow') setTimeout(answer, SLOW_MS);
  else answer();
});

function answerOf(behaviour, operation) {
  switch (behaviour) {
    case 'failing':
      return [500, '{"error":"it fails"}'];
    case 'wrong':
      return [200, '{"status":"broken"}'];
    case 'moved':
      return [301, '{}', { location: 'http://127.0.0.1:1/health' }];
    case 'limited':
      return [429, '{}', { 'retry-after': String(RETRY_AFTER_SECONDS) }];
    case 'flapping':
      if (round % 2 === 1) return [503, '{"error":"it is down"}'];
  }
  return operation === 'capabilities'
    ? [200, CAPABILITIES]
    : [200, JSON.stringify({ status: 'ok', uptime: 10, timestamp: new Date().toISOString() })];
}

function report() {
  const logs = [...log.values()];
  return {
    addresses: log.size,
    requests: logs.reduce((sum, { begunAtMs }) => sum + begunAtMs.length, 0),
    perSecond: Math.max(0, ...logs.map(({ begunAtMs }) => mostWithinSecond(begunAtMs))),
    inFlight: Math.max(0, ...logs.map(({ mostInFlight }) => mostInFlight)),
  };
}

function mostWithinSecond(timesMs) {
  let most = 0;
  let first = 0;
  timesMs.forEach((atMs, index) => {
    while (atMs - timesMs[first] >= 1000) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 });
await once(server, 'listening');
const conforming = await startReferenceServer({ form: 'A', host: '0.0.0.0' });
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message.kind === 'round') {
    round = message.round;
    log.clear();
  }
  process.send(message.kind === 'report' ? report() : null);
});
process.send({ port: server.address().port, conformingPort: Number(new URL(conforming.url).port) });
