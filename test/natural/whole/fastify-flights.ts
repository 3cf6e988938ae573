import { fastify } from 'fastify';
import type { NaturalRecord, OnCall, RunningServer } from '../natural-server.ts';

const flights = [
  { flight: 'LH400', from: 'FRA', to: 'JFK', gate: 'Z50', delayMinutes: 0 },
  { flight: 'AF1234', from: 'CDG', to: 'FRA', gate: null, delayMinutes: 25 },
  { flight: 'BA77', from: 'LHR', to: 'FRA', gate: 'B12', delayMinutes: 5 },
];

const airport = { type: 'string', pattern: '^[A-Z]{3}$', description: 'IATA code of an airport' };

const capabilities = {
  mcpVersion: '1.0',
  server: { name: 'flights', version: '0.9.0', description: 'Departures and watch lists' },
  functions: [
    {
      name: 'flightStatus',
      description: 'Looks up a flight by its number',
      parameters: {
        type: 'object',
        properties: {
          flight: {
            type: 'string',
            pattern: '^[A-Z]{2}\\d{1,4}$',
            description: 'Flight number',
            examples: ['LH400'],
          },
        },
        required: ['flight'],
      },
      returns: {
        type: 'object',
        properties: {
          known: { type: 'boolean' },
          delayMinutes: { type: ['integer', 'null'] },
          gate: { type: ['string', 'null'] },
        },
        required: ['known', 'delayMinutes', 'gate'],
      },
    },
    {
      name: 'departures',
      description: 'Flights from an airport, optionally to another',
      parameters: { type: 'object', properties: { from: airport, to: airport }, required: ['from'] },
      returns: {
        type: 'object',
        properties: { flights: { type: 'array', items: { type: 'string' } } },
        required: ['flights'],
      },
      examples: [{ parameters: { from: 'FRA' } }],
    },
    {
      name: 'watchFlight',
      description: 'Adds a flight to your watch list',
      parameters: {
        type: 'object',
        properties: { flight: { type: 'string', description: 'Flight number' } },
        required: ['flight'],
      },
      returns: { type: 'object', properties: { watched: { type: 'array', items: { type: 'string' } } } },
      examples: [{ parameters: { flight: 'BA77' } }],
    },
  ],
} as const;

/** An error of the caller; Fastify reads its status. */
function badRequest(code: string, message: string): Error {
  return Object.assign(new Error(message), { statusCode: 400, code });
}

async function start(_form: unknown, onCall: OnCall): Promise<RunningServer> {
  const watched = new Set<string>();
  const startedAt = Date.now();
  const app = fastify({ bodyLimit: 256 * 1024, forceCloseConnections: true });

  app.get('/health', async () => ({
    status: 'ok',
    uptime: (Date.now() - startedAt) / 1000,
    timestamp: new Date().toISOString(),
  }));
  app.get('/capabilities', async () => capabilities);

  app.post<{ Body: { function: string; parameters?: Record<string, unknown>; requestId?: string } }>(
    '/execute',
    {
      schema: {
        body: {
          type: 'object',
          properties: {
            function: { type: 'string', maxLength: 100 },
            parameters: { type: 'object' },
            requestId: { type: 'string' },
          },
          required: ['function'],
        },
      },
      // Fastify coerces "42" and [42] to the type of the schema; the contract requires a refusal.
      validatorCompiler: ({ schema }) => {
        const { properties, required } = schema as {
          properties: Record<string, { type: string; maxLength?: number }>;
          required: readonly string[];
        };
        return (data: unknown) => {
          if (typeof data !== 'object' || data === null || Array.isArray(data))
            return { error: badRequest('INVALID_REQUEST', 'body must be an object') };
          for (const name of required)
            if (!Object.hasOwn(data, name))
              return { error: badRequest('INVALID_REQUEST', `${name} is required`) };
          for (const [name, value] of Object.entries(data)) {
            const { type, maxLength = Number.POSITIVE_INFINITY } = properties[name] ?? {};
            const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
            if (type !== undefined && actual !== type)
              return { error: badRequest('INVALID_REQUEST', `${name} must be of type ${type}`) };
            if (typeof value === 'string' && name === 'function' && value.length > maxLength)
              return { error: badRequest('INVALID_REQUEST', 'function is too long') };
          }
          return { value: data };
        };
      },
    },
    async ({ body }) => {
      const begin = performance.now();
      const { function: name, parameters = {}, requestId } = body;
      const fn = capabilities.functions.find((one) => one.name === name);
      if (fn === undefined) throw badRequest('FUNCTION_NOT_FOUND', 'unknown function');
      onCall(fn.name);
      for (const key of fn.parameters.required)
        if (parameters[key] === undefined) throw badRequest('MISSING_PARAMETER', `${key} is required`);
      for (const [key, schema] of Object.entries(
        fn.parameters.properties as Record<string, { pattern?: string }>,
      )) {
        const value = parameters[key];
        if (value === undefined) continue;
        if (typeof value !== 'string' || !new RegExp(schema.pattern ?? '').test(value))
          throw badRequest('INVALID_PARAMETER', `${key} is not valid`);
      }
      const given = parameters as Record<string, string>;
      const result = { flightStatus, departures, watchFlight }[fn.name](given);
      return { requestId, result, executionTime: Math.floor(performance.now() - begin) };
    },
  );

  function flightStatus({ flight }: Record<string, string>) {
    const found = flights.find((one) => one.flight === flight);
    return {
      known: found !== undefined,
      delayMinutes: found?.delayMinutes ?? null,
      gate: found?.gate ?? null,
    };
  }
  function departures({ from, to }: Record<string, string>) {
    return {
      flights: flights
        .filter((one) => one.from === from && (to ?? one.to) === one.to)
        .map((one) => one.flight),
    };
  }
  function watchFlight({ flight }: Record<string, string>) {
    watched.add(flight ?? '');
    return { watched: [...watched].slice(-20) };
  }

  app.setNotFoundHandler((request, reply) => {
    const known = ['/health', '/capabilities', '/execute'].includes(request.url.split('?')[0] ?? '');
    if (known) void reply.header('allow', request.url.startsWith('/execute') ? 'POST' : 'GET, HEAD');
    void reply
      .code(known ? 405 : 404)
      .send({ error: { code: known ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND', message: 'Not that way' } });
  });
  app.setErrorHandler((error: Error & { statusCode?: number; code?: string }, request, reply) => {
    const { statusCode = 500, code = 'INVALID_REQUEST', message } = error;
    const body = request.body as { requestId?: unknown } | null | undefined;
    void reply.code(statusCode).send({
      error:
        statusCode < 500 ? { code, message } : { code: 'EXECUTION_ERROR', message: 'flight service failed' },
      requestId: body?.requestId,
    });
  });

  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, close: () => app.close() };
}

export const fastifyFlights: NaturalRecord = {
  name: 'fastify-flights',
  forms: ['B'],
  functions: capabilities.functions.map(({ name }) => name),
  withoutExample: ['flightStatus'],
  changes: ['watchFlight'],
  undecided: { A: [], B: [] },
  once: [],
  start,
};
