import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NaturalRecord, OnCall, RunningServer } from '../natural-server.ts';

// Double-entry bookkeeping in one file, without dependencies.

type Json = Record<string, unknown>;
type Answer = readonly [status: number, body: Json];

const fail = (status: number, code: string, message: string, requestId?: unknown): Answer => [
  status,
  { error: { code, message }, ...(typeof requestId === 'string' && { requestId }) },
];

const FUNCTIONS = {
  post: {
    description: 'Posts an entry: an amount in cents from one account to another',
    parameters: {
      type: 'object',
      properties: {
        debit: { type: 'string', description: 'Account that receives' },
        credit: { type: 'string', description: 'Account that gives' },
        cents: { type: 'integer', minimum: 1, description: 'Amount in cents' },
        memo: { type: 'string', description: 'A few words' },
      },
      required: ['debit', 'credit', 'cents'],
    },
    returns: { type: 'object', properties: { entry: { type: 'integer' } }, required: ['entry'] },
    examples: [{ parameters: { debit: 'cash', credit: 'sales', cents: 1999 } }],
  },
  balance: {
    description: 'Sum of what an account received, less what it gave',
    parameters: {
      type: 'object',
      properties: { account: { type: 'string', description: 'Account' } },
      required: ['account'],
    },
    returns: { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] },
    examples: [{ parameters: { account: 'cash' } }],
  },
  audit: {
    description: 'Everything that was posted or asked lately',
    parameters: { type: 'object', properties: {} },
    returns: { type: 'object', properties: { log: { type: 'array', items: { type: 'string' } } } },
  },
} as const;

type Name = keyof typeof FUNCTIONS;

async function start(_form: unknown, onCall: OnCall): Promise<RunningServer> {
  const started = process.hrtime.bigint();
  const entries: { debit: string; credit: string; cents: number }[] = [];
  const log: string[] = [];

  const run: Record<Name, (p: Json) => Json> = {
    post: ({ debit, credit, cents }) => {
      entries.push({ debit: String(debit), credit: String(credit), cents: Number(cents) });
      log.push(`posted ${cents} from ${credit} to ${debit}`);
      return { entry: entries.length };
    },
    balance: ({ account }) => {
      log.push(`balance of ${account}`);
      let cents = 0;
      for (const entry of entries) {
        if (entry.debit === account) cents += entry.cents;
        if (entry.credit === account) cents -= entry.cents;
      }
      return { cents };
    },
    audit: () => ({ log: log.slice(-30) }),
  };

  const complaint = (name: Name, parameters: Json): string | undefined => {
    const schema: {
      properties: Record<string, { type: string; minimum?: number }>;
      required?: readonly string[];
    } = FUNCTIONS[name].parameters;
    for (const key of schema.required ?? []) if (!Object.hasOwn(parameters, key)) return `${key} is missing`;
    for (const [key, { type, minimum = -Infinity }] of Object.entries(schema.properties)) {
      if (!Object.hasOwn(parameters, key)) continue;
      const value = parameters[key];
      if (type === 'string' && typeof value !== 'string') return `${key} must be a string`;
      if (type === 'integer' && !(Number.isSafeInteger(value) && Number(value) >= minimum))
        return `${key} must be an integer`;
    }
    return undefined;
  };

  const execute = (raw: Buffer): Answer => {
    let body: unknown;
    try {
      body = JSON.parse(raw.toString('utf8'));
    } catch {
      return fail(400, 'PARSE_ERROR', 'That is not JSON');
    }
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      return fail(400, 'BAD_REQUEST', 'The body must be an object');
    const { function: name, parameters = {}, requestId } = body as Json;
    if (typeof name !== 'string') return fail(400, 'BAD_REQUEST', 'function is missing', requestId);
    if (!Object.hasOwn(FUNCTIONS, name))
      return fail(400, 'FUNCTION_NOT_FOUND', 'No such function', requestId);
    onCall(name);
    if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
      return fail(400, 'BAD_REQUEST', 'parameters must be an object', requestId);
    const wrong = complaint(name as Name, parameters as Json);
    if (wrong !== undefined) return fail(400, 'INVALID_PARAMETERS', wrong, requestId);
    const before = process.hrtime.bigint();
    try {
      const result = run[name as Name](parameters as Json);
      const executionTime = Number((process.hrtime.bigint() - before) / 1_000_000n);
      return [200, { ...(requestId === undefined ? {} : { requestId }), result, executionTime }];
    } catch {
      return fail(500, 'EXECUTION_ERROR', 'The ledger is out of order', requestId);
    }
  };

  const health = (): Answer => [
    200,
    {
      status: 'ok',
      uptime: Number(process.hrtime.bigint() - started) / 1e9,
      timestamp: new Date().toISOString(),
      version: '1.0.0',
    },
  ];
  const capabilities = (): Answer => [
    200,
    {
      mcpVersion: '1.0',
      server: { name: 'ledger', version: '1.0.0', description: 'Double-entry book-keeping' },
      functions: Object.entries(FUNCTIONS).map(([name, rest]) => ({ name, ...rest })),
    },
  ];

  const server = http.createServer((req, res) => {
    const reply = ([status, body]: Answer): void => {
      const text = JSON.stringify(body);
      res.writeHead(status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(text),
      });
      res.end(text);
    };
    const route = `${req.method} ${req.url?.split('?')[0]}`;
    if (route === 'GET /health') return reply(health());
    if (route === 'GET /capabilities') return reply(capabilities());
    if (route !== 'POST /execute') {
      const known = /^\/(health|capabilities|execute)$/.test(req.url?.split('?')[0] ?? '');
      if (known) res.setHeader('Allow', req.url?.startsWith('/execute') ? 'POST' : 'GET');
      return reply(
        known ? fail(405, 'METHOD_NOT_ALLOWED', 'Wrong method') : fail(404, 'NOT_FOUND', 'Wrong path'),
      );
    }
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= 100_000) chunks.push(chunk);
    });
    // The whole body is read even when it is too large, so that the client sees the answer.
    req.on('end', () =>
      reply(size > 100_000 ? fail(413, 'TOO_LARGE', 'At most 100 kB') : execute(Buffer.concat(chunks))),
    );
    req.on('error', () => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const bareLedger: NaturalRecord = {
  name: 'bare-ledger',
  forms: ['B'],
  functions: Object.keys(FUNCTIONS),
  withoutExample: ['audit'],
  changes: ['post'],
  undecided: { A: [], B: [] },
  once: [],
  start,
};
