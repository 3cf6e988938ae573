// A conforming server whose calls take a chosen time: `node steady-server.mjs PORT wait|work MS`. `wait` uses a timer,
// `work` keeps the CPU busy. Prints its port.
import http from 'node:http';

const [port, kind, ms] = process.argv.slice(2);
const started = Date.now();
const NAMES = ['add', 'sum', 'plus'];

const server = http.createServer(async (request, response) => {
  let body = '';
  try {
    for await (const chunk of request) body += chunk;
  } catch {
    // The client went away.
    return;
  }
  if (kind === 'wait') await new Promise((resolve) => setTimeout(resolve, Number(ms)));
  else for (const untilMs = performance.now() + Number(ms); performance.now() < untilMs; );
  const [status, answer] = answerTo(request, body);
  const text = JSON.stringify(answer);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
});
server.listen(Number(port), '127.0.0.1', () => console.log(server.address().port));

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
