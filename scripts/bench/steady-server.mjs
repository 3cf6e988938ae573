// A conforming server whose calls take a chosen time: `node steady-server.mjs PORT wait|work MS [COUNT]`. `wait` uses a
// timer, `work` keeps the CPU busy. Prints its port; with PORT 0, it can be as many servers as COUNT says, and prints the
// ports of all in one line.
import { once } from 'node:events';
import http from 'node:http';

const [port, kind, ms, count = '1'] = process.argv.slice(2);
const started = Date.now();
const NAMES = ['add', 'sum', 'plus'];

const answer = async (request, response) => {
  let body = '';
  try {
    for await (const chunk of request) body += chunk;
  } catch {
    // The client went away.
    return;
  }
  if (kind === 'wait') await new Promise((resolve) => setTimeout(resolve, Number(ms)));
  else for (const untilMs = performance.now() + Number(ms); performance.now() < untilMs; );
  const [status, value] = answerTo(request, body);
  const text = JSON.stringify(value);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
};
const ports = [];
for (let place = 0; place < Number(count); place += 1) {
  const server = http.createServer(answer).listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
  ports.push(server.address().port);
}
console.log(ports.join(' '));

function answerTo({ method, url }, body) {
  const now = new Date().toISOString();
  if (method === 'GET' && url === '/health')
    return [200, { status: 'ok', uptime: (Date.now() - started) / 1000, timestamp: now }];
  if (method === 'GET' && url === '/capabilities') {
    const functions = NAMES.map((name) => ({
      name,
      description: name,
      inputs: ['a', 'b'],
      outputs: ['sum'],
    }));
    return [200, { functions }];
  }
  if (method !== 'POST' || url !== '/execute') return [404, { error: 'not found' }];
  try {
    const { function: name, input } = JSON.parse(body);
    const sum = Number(input.a) + Number(input.b);
    return NAMES.includes(name)
      ? [200, { output: { sum: Number.isFinite(sum) ? sum : 0 } }]
      : [400, { error: 'unknown function' }];
  } catch {
    return [400, { error: 'invalid body' }];
  }
}
