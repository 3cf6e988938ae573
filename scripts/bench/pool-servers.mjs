// The servers that the section `pool` checks: the reference server, and hostile ones, each on a port.
import { createServer } from 'node:http';
import { startReferenceServer } from '../../dist/index.js';

const reference = await startReferenceServer({ form: 'B' });
const { functions, ...capabilities } = await (await fetch(`${reference.url}/capabilities`)).json();

/** What replaces the capabilities, the answers of calls, or both. */
const HOSTILE = {
  // Two thousand different schemas with ninety patterns each.
  schemas: { functions: many(2000, (index) => withPatterns(index, 90, (at) => `^p${at}x${index}$`)) },
  patterns: { functions: many(300, (index) => withPatterns(index, 20, (at) => `^(a+)+${at}x${index}$`)) },
  deep: { functions: many(200, (index) => ({ ...fn(index), parameters: nested(200, index) })) },
  bodies: { functions, answer: JSON.stringify({ result: { text: 'x'.repeat(4_000_000) } }) },
  hangs: { functions, answer: null },
};

function many(count, make) {
  return Array.from({ length: count }, (_, index) => make(index));
}

function fn(index) {
  return {
    name: `f${index}`,
    description: `The function of number ${index} does something`,
    returns: { type: 'object' },
  };
}

function withPatterns(index, count, patternAt) {
  const patternProperties = Object.fromEntries(many(count, (at) => [patternAt(at), {}]));
  return { ...fn(index), parameters: { type: 'object', properties: {}, patternProperties } };
}

function nested(levels, index) {
  let schema = { type: 'object', title: `${index}` };
  for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { inner: schema } };
  return schema;
}

async function serve({ functions: listed, answer }) {
  const body = JSON.stringify({ ...capabilities, functions: listed });
  const answerTo = async (request, response) => {
    const sent = [];
    for await (const chunk of request) sent.push(chunk);
    if (request.url === '/capabilities') return response.writeHead(200, JSON_TYPE).end(body);
    if (request.url === '/execute' && answer === null) return undefined;
    if (request.url === '/execute' && answer !== undefined)
      return response.writeHead(200, JSON_TYPE).end(answer);
    const relayed = await fetch(`${reference.url}${request.url}`, {
      method: request.method,
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      ...(request.method === 'GET' ? {} : { body: Buffer.concat(sent) }),
    });
    return response.writeHead(relayed.status, JSON_TYPE).end(Buffer.from(await relayed.arrayBuffer()));
  };
  // A check aborts some of its requests.
  const server = createServer((request, response) =>
    answerTo(request, response).catch(() => response.destroy()),
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const urls = { reference: reference.url };
for (const [name, hostile] of Object.entries(HOSTILE)) urls[name] = await serve(hostile);

process.on('message', (wanted) => {
  if (wanted === 'urls') return process.send(urls);
  const { user, system } = process.cpuUsage();
  return process.send((user + system) / 1000);
});
