// A weather server of form B with common mistakes. To see its report, run node examples/broken-server.mjs 8080, and
// then: probity check http://127.0.0.1:8080
import { createServer } from 'node:http';

const startedMs = Date.now();

const functions = [
  {
    name: 'forecast',
    description: 'The weather in a city, today.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Name of the city' } },
      required: ['city'],
    },
    returns: {
      type: 'object',
      properties: { celsius: { type: 'number' }, sky: { type: 'string' } },
      required: ['celsius', 'sky'],
    },
    examples: [{ parameters: { city: 'Paris' }, result: { celsius: 12, sky: 'grey' } }],
  },
  {
    name: 'convert',
    description: 'Degrees Celsius in degrees Fahrenheit.',
    parameters: {
      type: 'object',
      properties: { celsius: { type: 'number', description: 'Degrees Celsius' } },
      required: ['celsius'],
    },
    returns: { type: 'object', properties: { fahrenheit: { type: 'number' } }, required: ['fahrenheit'] },
    examples: [{ parameters: { celsius: 20 }, result: { fahrenheit: 68 } }],
  },
];

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const [status, body] = answer(request, Buffer.concat(chunks).toString());
    const json = typeof body !== 'string';
    response.writeHead(status, { 'content-type': json ? 'application/json' : 'text/plain' });
    response.end(json ? JSON.stringify(body) : body);
  });
});

function answer({ method, url }, text) {
  if (method === 'GET' && url === '/health') {
    return [
      200,
      // Mistake: milliseconds instead of seconds.
      {
        status: 'ok',
        uptime: Date.now() - startedMs,
        timestamp: new Date().toISOString(),
        version: '2.1.0',
        mcpVersion: '1.0',
      },
    ];
  }
  if (method === 'GET' && url === '/capabilities') {
    return [
      200,
      {
        mcpVersion: '1.0',
        server: { name: 'weather', version: '2.1.0', description: 'Weather for a few cities.' },
        functions,
      },
    ];
  }
  if (method !== 'POST' || url !== '/execute') return [404, failure('NOT_FOUND', 'Unknown path.')];
  let call;
  try {
    call = JSON.parse(text);
  } catch (error) {
    // Mistake: the answer shows a stack trace.
    return [500, `${error.stack}`];
  }
  const { function: name, parameters = {}, requestId } = call ?? {};
  // Mistake: 404 instead of 400.
  if (!functions.some((fn) => fn.name === name))
    return [404, failure('FUNCTION_NOT_FOUND', `No function ${name}.`, requestId)];
  const answered = (result) => [200, { result, requestId, executionTime: 0 }];
  // Mistake: a number sent as text.
  if (name === 'forecast') return answered({ celsius: '12', sky: 'grey' });
  if (typeof parameters.celsius !== 'number')
    return [400, failure('INVALID_INPUT', 'celsius must be a number.', requestId)];
  return answered({ fahrenheit: parameters.celsius * 1.8 + 32 });
}

function failure(code, message, requestId) {
  return { error: { code, message }, requestId };
}

const [port = '0'] = process.argv.slice(2);
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
