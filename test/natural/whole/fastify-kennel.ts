import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import type { NaturalRecord, OnCall, RunningServer } from '../natural-server.ts';

type Input = Record<string, unknown>;

class CallerError extends Error {
  readonly statusCode: number;
  constructor(message: string, statusCode = 422) {
    super(message);
    this.statusCode = statusCode;
  }
}

const need = (input: Input, key: string): string => {
  const value = input[key];
  if (typeof value !== 'string' || value === '') throw new CallerError(`${key} must be a non-empty string`);
  return value;
};

function kennel() {
  const dogs = new Map<string, { name: string; breed: string; walks: number }>();
  const dogOf = (input: Input) => {
    const dog = dogs.get(need(input, 'dogId'));
    if (!dog) throw new CallerError('no such dog', 404);
    return dog;
  };
  return {
    admitDog: {
      description: 'Admits a dog to the kennel',
      inputs: ['name', 'breed'],
      outputs: ['dogId'],
      run: (input: Input) => {
        const dogId = randomUUID();
        dogs.set(dogId, { name: need(input, 'name'), breed: need(input, 'breed'), walks: 0 });
        return { dogId };
      },
    },
    walkDog: {
      description: 'Notes a walk of a dog',
      inputs: ['dogId'],
      outputs: ['walks'],
      run: (input: Input) => {
        const dog = dogOf(input);
        dog.walks += 1;
        return { walks: dog.walks };
      },
    },
    dogsByBreed: {
      description: 'Dogs of a breed, by name',
      inputs: ['breed'],
      outputs: ['dogs', 'count'],
      run: (input: Input) => {
        const breed = need(input, 'breed');
        const found = [...dogs.values()].filter((dog) => dog.breed === breed);
        return { dogs: found.slice(0, 10).map(({ name }) => name), count: found.length };
      },
    },
    occupancy: {
      description: 'How full the kennel is',
      inputs: [],
      outputs: ['dogs', 'places'],
      run: () => ({ dogs: dogs.size, places: 500 }),
    },
  };
}

async function start(_form: unknown, onCall: OnCall): Promise<RunningServer> {
  const functions = new Map(Object.entries(kennel()));
  const app = fastify({ forceCloseConnections: true });
  // The plugins of a company template: bodies are objects, errors have a code and a message.
  app.addHook('preValidation', async (request) => {
    const { body, method } = request;
    if (method === 'POST' && (typeof body !== 'object' || body === null || Array.isArray(body)))
      throw new CallerError('the body must be a JSON object', 400);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    reply.code(status).send({
      error: {
        code: status >= 500 ? 'EXECUTION_ERROR' : status === 404 ? 'NOT_FOUND' : 'INVALID_CALL',
        message: status >= 500 ? 'The call failed' : error.message,
      },
    });
  });
  app.setNotFoundHandler((_request, reply) => {
    reply.code(404).send({ error: { code: 'NOT_FOUND', message: 'No such route' } });
  });
  app.get('/health', () => ({ status: 'ok', uptime: process.uptime(), timestamp: new Date() }));
  app.get('/capabilities', () => ({
    functions: [...functions].map(([name, { description, inputs, outputs }]) => ({
      name,
      description,
      inputs,
      outputs,
    })),
  }));
  app.post('/execute', async (request, reply) => {
    const { function: name, input = {} } = request.body as Input;
    if (typeof name !== 'string') throw new CallerError('function must be a string', 400);
    const fn = functions.get(name);
    if (fn === undefined) {
      reply.code(400);
      return { error: { code: 'FUNCTION_NOT_FOUND', message: 'See /capabilities' } };
    }
    onCall(name);
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw new CallerError('input must be an object');
    return { output: fn.run(input as Input) };
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, close: () => app.close() };
}

const names = Object.keys(kennel());

export const fastifyKennel: NaturalRecord = {
  name: 'fastify-kennel',
  forms: ['A'],
  functions: names,
  withoutExample: names,
  changes: ['admitDog', 'walkDog'],
  undecided: { A: [], B: [] },
  once: [],
  start,
};
