// A server of the SDK whose tools ask the client, in both eras: node sdk-asking.mjs over standard streams, or with a port.
import http from 'node:http';
import { Readable } from 'node:stream';
import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const described = (description) => ({
  description,
  inputSchema: fromJsonSchema({ type: 'object', properties: {} }),
  annotations: { readOnlyHint: true },
});
const form = fromJsonSchema({
  type: 'object',
  properties: { name: { type: 'string', description: 'A name.' } },
  required: ['name'],
});
const codec = createRequestStateCodec({ key: 'k'.repeat(32), ttlSeconds: 600 });

function createServer() {
  const server = new McpServer(
    { name: 'asking', version: '1.0.0' },
    { requestState: { verify: codec.verify } },
  );
  server.registerTool('ask', described('Asks for a name, until it is given.'), async (_input, ctx) => {
    const given = acceptedContent(ctx.mcpReq.inputResponses, 'who', form);
    if (given !== undefined) return text(`Hello, ${given.name}!`);
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Who is it?', requestedSchema: form }) },
      requestState: await codec.mint({ step: 1 }, ctx),
    });
  });
  server.registerTool('once', described('Asks for a name once.'), async (_input, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'who');
    if (answer.kind !== 'missing') return text('Thank you.');
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Who is it?', requestedSchema: form }) },
    });
  });
  server.registerTool('roots', described('Asks for the roots.'), async (_input, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'roots');
    if (answer.kind !== 'missing') return text('Thank you.');
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  server.registerTool('think', described('Asks for a model.'), async (_input, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'thought');
    if (answer.kind !== 'missing') return text('Thank you.');
    const content = { type: 'text', text: 'What is the capital of France?' };
    const thought = inputRequired.createMessage({ messages: [{ role: 'user', content }], maxTokens: 10 });
    return inputRequired({ inputRequests: { thought } });
  });
  server.registerTool('add', described('Adds nothing.'), async () => text('0'));
  return server;
}

const port = process.argv[2];
if (port === undefined) serveStdio(createServer);
else {
  const handler = createMcpHandler(createServer);
  const listener = http.createServer(async (request, response) => {
    const body = request.method === 'POST' ? Readable.toWeb(request) : undefined;
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method,
        headers: request.headers,
        body,
        duplex: 'half',
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    else
      Readable.fromWeb(answer.body)
        .on('error', () => response.destroy())
        .pipe(response);
  });
  listener.listen(Number(port), '127.0.0.1', () => process.stdout.write(`${listener.address().port}\n`));
}
