// A conforming server of form B with many functions: `node scale-server.mjs FUNCTIONS DESCRIPTOR_BYTES ANSWER_BYTES`.
// Prints its port. Descriptors have nested schemas and examples, and are at least as large as requested in all; every
// answer of a function has at least ANSWER_BYTES.
import http from 'node:http';

const [count, descriptorBytes, answerBytes] = process.argv.slice(2, 5).map(Number);
const isBroken = process.argv[5] === 'broken';
const started = Date.now();
const SUBJECTS = ['invoice', 'shipment', 'contact', 'reservation', 'sensor', 'article', 'payment', 'route'];
const WORDS = 'the record with its history as the accounting system shows it to readers of the archive ';

const names = Array.from({ length: count }, (_, index) => `get-${SUBJECTS[index % 8]}-${index}`);
const functions = names.map((name, index) => descriptorOf(name, index, ''));
const missing = descriptorBytes - JSON.stringify(functions).length;
const padding = missing > 0 ? textOf(Math.ceil(missing / count)) : '';
const capabilities = JSON.stringify({
  mcpVersion: '1.0',
  server: { name: 'scale', description: 'Returns records of many tables.', version: '1.0.0' },
  functions: padding === '' ? functions : names.map((name, index) => descriptorOf(name, index, padding)),
});
const known = new Map(names.map((name, index) => [name, index]));
const filler = answerBytes > 0 ? textOf(answerBytes) : '';

http
  .createServer(async (request, response) => {
    const parts = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      // The client went away.
      return;
    }
    const [status, text] = answerTo(request, Buffer.concat(parts).toString());
    response
      .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      .end(text);
  })
  .listen(0, '127.0.0.1', function () {
    console.log(this.address().port);
  });

function answerTo({ method, url }, body) {
  const timestamp = new Date().toISOString();
  if (method === 'GET' && url === '/health')
    return [
      200,
      JSON.stringify({
        status: 'ok',
        mcpVersion: '1.0',
        version: '1.0.0',
        uptime: (Date.now() - started) / 1000,
        timestamp,
      }),
    ];
  if (method === 'GET' && url === '/capabilities') return [200, capabilities];
  if (url === '/health' || url === '/capabilities' || url === '/execute')
    if (url !== '/execute' || method !== 'POST') return refusal(405, 'METHOD_NOT_ALLOWED', 'not this method');
  if (url !== '/execute') return refusal(404, 'NOT_FOUND', 'no such path');
  return execute(body);
}

function execute(body) {
  const startedMs = performance.now();
  let call;
  try {
    call = JSON.parse(body);
  } catch {
    return refusal(400, 'INVALID_REQUEST', 'the body is not JSON');
  }
  if (!isObject(call)) return refusal(400, 'INVALID_REQUEST', 'the body is not an object');
  const { requestId, parameters = {} } = call;
  if (requestId !== undefined && typeof requestId !== 'string')
    return refusal(400, 'INVALID_REQUEST', 'requestId is not a string');
  if (typeof call.function !== 'string')
    return refusal(400, 'INVALID_REQUEST', 'function is not a string', requestId);
  const index = known.get(call.function);
  if (index === undefined) return refusal(400, 'FUNCTION_NOT_FOUND', 'no such function', requestId);
  const problem = isBroken ? null : problemOf(parameters);
  if (problem !== null) return refusal(400, 'INVALID_INPUT', problem, requestId);
  if (isBroken)
    return [200, JSON.stringify({ result: { id: index, undeclared: `entry ${index}` }, executionTime: -1 })];
  const { id, filter = {}, limit = 10 } = parameters;
  const total = index + id.length;
  const result = { id, total, pages: Math.ceil(total / limit), tags: filter.tags ?? [], text: filler };
  return [
    200,
    JSON.stringify({ requestId, result, executionTime: Math.floor(performance.now() - startedMs) }),
  ];
}

function refusal(status, code, message, requestId) {
  return [status, JSON.stringify({ error: { code, message }, requestId })];
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same rules as the schemas of the parameters. */
function problemOf(parameters) {
  if (!isObject(parameters)) return 'parameters is not an object';
  const { id, filter, limit, ...others } = parameters;
  if (Object.keys(others).length > 0) return 'an unknown parameter';
  if (typeof id !== 'string' || [...id].length < 1 || [...id].length > 40)
    return 'id is not 1 to 40 characters';
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 100))
    return 'limit: 1 to 100';
  if (filter === undefined) return null;
  if (!isObject(filter)) return 'filter is not an object';
  const { since, tags, ...more } = filter;
  if (Object.keys(more).length > 0) return 'an unknown filter';
  if (since !== undefined && !(Number.isInteger(since) && since >= 1990 && since <= 2100))
    return 'since: a year';
  if (tags === undefined) return null;
  const areTexts = Array.isArray(tags) && tags.length <= 5 && tags.every((tag) => typeof tag === 'string');
  return areTexts ? null : 'tags: up to five texts';
}

function descriptorOf(name, index, more) {
  const subject = SUBJECTS[index % 8];
  return {
    name,
    description: isBroken
      ? ''
      : `Returns ${subject} number ${index}: what is known of it, with the number of its pages. ${more}`,
    parameters: {
      type: 'object',
      description: `Which ${subject} of table ${index} to return.`,
      properties: {
        id: { type: 'string', minLength: 1, maxLength: 40, description: `The id of the ${subject}.` },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Entries on a page.' },
        filter: {
          type: 'object',
          description: 'Which entries count.',
          properties: {
            since: { type: 'integer', minimum: 1990, maximum: 2100, description: 'The first year.' },
            tags: {
              type: 'array',
              maxItems: 5,
              items: { type: 'string' },
              description: 'Entries with all of these tags.',
            },
          },
          additionalProperties: false,
        },
      },
      required: ['id'],
      additionalProperties: false,
    },
    returns: {
      type: 'object',
      properties: {
        id: { type: 'string', description: `The id of the ${subject}.` },
        total: { type: 'integer', description: `The entries of the ${subject} in table ${index}.` },
        pages: { type: 'integer', description: 'The pages of its entries.' },
        tags: { type: 'array', items: { type: 'string' }, description: 'The tags that were asked for.' },
        text: { type: 'string', description: 'What is known of it.' },
      },
      required: ['id', 'total', 'pages', 'tags', 'text'],
    },
    examples: [
      { parameters: { id: `${subject}-${index}` } },
      { parameters: { id: `${subject}-${index}-b`, limit: 5, filter: { since: 2020, tags: ['open'] } } },
    ],
  };
}

function textOf(characters) {
  return WORDS.repeat(Math.ceil(characters / WORDS.length)).slice(0, characters);
}
