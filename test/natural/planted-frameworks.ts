import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { fastify } from 'fastify';
import type { Form } from '../../src/model/requirement.ts';
import type { Members, RunningServer } from './natural-server.ts';

/** Servers that leave errors to their framework, as in most tutorials. */

const NAMES = ['tagline', 'describePart'] as const;
type Name = (typeof NAMES)[number];

const FUNCTIONS: Record<Name, { description: string; input: string; output: string }> = {
  tagline: { description: 'A tagline for a product.', input: 'product', output: 'tagline' },
  describePart: { description: 'Describes a part by its part number.', input: 'part', output: 'description' },
};

function run(name: Name, input: Members): Members {
  if (name === 'tagline') {
    const { product } = input;
    if (typeof product !== 'string') throw new TypeError('product must be a string');
    return { tagline: `${product}: never without it.` };
  }
  throw new Error(`part ${String(input.part)} is not in the database`);
}

function capabilities(form: Form): Members {
  const property = (name: string): Members => ({ [name]: { type: 'string', description: `The ${name}.` } });
  const functions = NAMES.map((name) => {
    const { description, input, output } = FUNCTIONS[name];
    if (form === 'A') return { name, description, inputs: [input], outputs: [output] };
    return {
      name,
      description,
      parameters: { type: 'object', properties: property(input), required: [input] },
      returns: { type: 'object', properties: property(output), required: [output] },
    };
  });
  if (form === 'A') return { functions };
  return {
    mcpVersion: '1.0',
    server: { name: 'copy', version: '1.0.0', description: 'Copy writing.' },
    functions,
  };
}

function health(): Members {
  return { status: 'ok', uptime: process.uptime(), timestamp: new Date().toISOString() };
}

function success(form: Form, { requestId }: Members, result: Members): Members {
  return form === 'A' ? { output: result } : { requestId, result, executionTime: 0 };
}

const inputKeyOf = (form: Form): string => (form === 'A' ? 'input' : 'parameters');

/** Thrown errors reach the default error handler, which sends a page of HTML, with the stack outside production. */
export async function startExpressWithoutErrorHandler(form: Form): Promise<RunningServer> {
  const app = express();
  app.use(express.json());
  app.get('/health', (_request, response) => void response.json(health()));
  app.get('/capabilities', (_request, response) => void response.json(capabilities(form)));
  app.post('/execute', (request, response) => {
    const body = Object(request.body) as Members;
    const name = NAMES.find((one) => one === body.function);
    if (name === undefined) {
      const error = { code: 'FUNCTION_NOT_FOUND', message: 'No such function' };
      response.status(400).json({ error, requestId: body.requestId });
      return;
    }
    response.json(success(form, body, run(name, Object(body[inputKeyOf(form)]))));
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Unknown functions are answered by the contract; other errors have the body of the framework. */
export async function startFastifyWithItsOwnErrors(form: Form): Promise<RunningServer> {
  const app = fastify({ forceCloseConnections: true });
  app.get('/health', async () => health());
  app.get('/capabilities', async () => capabilities(form));
  app.post<{ Body: Members }>('/execute', async ({ body }, reply) => {
    const call = Object(body) as Members;
    const name = NAMES.find((one) => one === call.function);
    if (name === undefined) {
      const error = { code: 'FUNCTION_NOT_FOUND', message: 'No such function' };
      return reply.code(400).send({ error, requestId: call.requestId });
    }
    return success(form, call, run(name, Object(call[inputKeyOf(form)])));
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, close: () => app.close() };
}
