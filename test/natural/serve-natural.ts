import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Form } from '../../src/model/requirement.ts';
import {
  type Members,
  type NaturalFunction,
  type NaturalRecord,
  type OnCall,
  Refused,
  type RunningServer,
} from './natural-server.ts';

export interface Service {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly functions: readonly NaturalFunction[];
}

export interface Call {
  readonly fn: NaturalFunction;
  readonly input: Members;
  readonly requestId: string | undefined;
}

export interface Reply {
  readonly status: number;
  /** Written as JSON; a string is a page of HTML. */
  readonly body: Members | string;
}

/** The decisions of a careful author, which a test can replace one by one. */
export interface Craft {
  readonly health: (service: Service, startedMs: number) => Members;
  readonly capabilities: (service: Service, form: Form) => Members;
  readonly find: (service: Service, name: string) => NaturalFunction | undefined;
  /** Checks the whole body before any function is called. */
  readonly admit: (request: IncomingMessage, body: Members, form: Form) => void;
  readonly refuseInvalid: (fn: NaturalFunction, input: Members) => void;
  readonly run: (call: Call) => Members | Promise<Members>;
  readonly success: (form: Form, call: Call, result: Members, tookMs: number) => Reply | Promise<Reply>;
  readonly failure: (
    form: Form,
    error: unknown,
    requestId: string | undefined,
    name: string | undefined,
  ) => Reply | Promise<Reply>;
  readonly encode: (body: Members) => Buffer | Promise<Buffer>;
}

const MAX_BODY_BYTES = 1024 * 1024;
const MCP_VERSION = '1.0';

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  ownProperties: true,
  logger: false,
  formats: {
    date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
    time: /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
    email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
    uri: (text: string) => URL.canParse(text),
    uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
    ipv4: /^(\d{1,3}\.){3}\d{1,3}$/,
  },
});

export const careful: Craft = {
  health: ({ version }, startedMs) => ({
    status: 'ok',
    uptime: (performance.now() - startedMs) / 1000,
    timestamp: new Date().toISOString(),
    version,
    mcpVersion: MCP_VERSION,
  }),
  capabilities: ({ name, version, description, functions }, form) =>
    form === 'A'
      ? { functions: functions.map(describeInFormA) }
      : {
          mcpVersion: MCP_VERSION,
          server: { name, version, description },
          functions: functions.map(describeInFormB),
        },
  find: ({ functions }, name) => functions.find((fn) => fn.name === name),
  admit: () => undefined,
  refuseInvalid: ({ parameters }, input) => {
    const validate = ajv.compile(parameters);
    if (!validate(input))
      throw new Refused('INVALID_INPUT', ajv.errorsText(validate.errors, { dataVar: 'input' }));
  },
  run: ({ fn, input }) => fn.run(input as never),
  success: (form, { fn, requestId }, result, tookMs) => {
    if (form === 'B') return { status: 200, body: { requestId, result, executionTime: Math.round(tookMs) } };
    // A caller of form A relies on every key of `outputs`, so one without a value is null.
    const keys = Object.keys(fn.returns.properties as Members);
    return {
      status: 200,
      body: { output: Object.fromEntries(keys.map((key) => [key, result[key] ?? null])) },
    };
  },
  failure: (_form, error, requestId) => {
    const { status, code, message } =
      error instanceof Refused
        ? error
        : { status: 500, code: 'EXECUTION_ERROR', message: 'The function failed.' };
    return { status, body: { error: { code, message }, requestId } };
  },
  encode: (body) => Buffer.from(JSON.stringify(body)),
};

function describeInFormA({ name, description, parameters, returns, examples }: NaturalFunction): Members {
  return {
    name,
    description,
    inputs: Object.keys(parameters.properties as Members),
    outputs: Object.keys(returns.properties as Members),
    ...(examples === undefined ? {} : { examples: examples.map((input) => ({ input })) }),
  };
}

function describeInFormB({ name, description, parameters, returns, examples }: NaturalFunction): Members {
  return {
    name,
    description,
    parameters,
    returns,
    ...(examples === undefined ? {} : { examples: examples.map((input) => ({ parameters: input })) }),
  };
}

/** Serves functions over node:http on a free port, in either wire form. */
export async function serveNatural(
  service: Service,
  form: Form,
  onCall: OnCall = () => undefined,
  craft: Craft = careful,
): Promise<RunningServer> {
  const startedMs = performance.now();
  const execute = async (request: IncomingMessage): Promise<Reply> => {
    let requestId: string | undefined;
    let name: string | undefined;
    try {
      const body = await readJsonObject(request);
      if (typeof body.requestId === 'string') requestId = body.requestId;
      else if (body.requestId !== undefined)
        throw new Refused('INVALID_REQUEST', 'requestId must be a string.');
      if (typeof body.function !== 'string')
        throw new Refused('INVALID_REQUEST', 'function must be a string.');
      name = body.function;
      if (service.functions.some((fn) => fn.name === name)) onCall(name);
      craft.admit(request, body, form);
      const fn = craft.find(service, name);
      if (fn === undefined)
        throw new Refused('FUNCTION_NOT_FOUND', `This server has no function ${clip(name)}.`);
      const key = form === 'A' ? 'input' : 'parameters';
      const input = body[key] ?? {};
      if (!isObject(input)) throw new Refused('INVALID_REQUEST', `${key} must be an object.`);
      craft.refuseInvalid(fn, input);
      const call = { fn, input, requestId };
      const calledMs = performance.now();
      const result = await craft.run(call);
      return await craft.success(form, call, result, Math.floor(performance.now() - calledMs));
    } catch (error) {
      return craft.failure(form, error, requestId, name);
    }
  };
  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const [path] = (request.url ?? '').split('?', 1);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (path === '/health' && isRead) return { status: 200, body: craft.health(service, startedMs) };
    if (path === '/capabilities' && isRead) return { status: 200, body: craft.capabilities(service, form) };
    if (path === '/execute' && request.method === 'POST') return execute(request);
    const isKnown = path === '/health' || path === '/capabilities' || path === '/execute';
    return craft.failure(
      form,
      isKnown
        ? new Refused('METHOD_NOT_ALLOWED', 'This path does not take this method.', 405)
        : new Refused('NOT_FOUND', 'There is nothing at this path.', 404),
      undefined,
      undefined,
    );
  };
  const server = createServer((request, response) => {
    answer(request)
      .then((reply) => send(request, response, reply, craft))
      // The client has gone, so there is nothing to answer.
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
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

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: Reply,
  craft: Craft,
): Promise<void> {
  const isPage = typeof body === 'string';
  const bytes = isPage ? Buffer.from(body) : await craft.encode(body);
  response.writeHead(status, {
    'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    ...(status === 405 ? { allow: request.url === '/execute' ? 'POST' : 'GET, HEAD' } : {}),
    // The rest of a body that is too large is not read.
    ...(request.complete || request.method !== 'POST' ? {} : { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

async function readJsonObject(request: IncomingMessage): Promise<Members> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new Refused('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.', 415);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length;
    if (length > MAX_BODY_BYTES)
      throw new Refused('PAYLOAD_TOO_LARGE', 'The body must not be larger than 1 MiB.', 413);
    chunks.push(chunk as Buffer);
  }
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new Refused('INVALID_JSON', 'The body must be JSON in UTF-8.');
  }
  if (!isObject(body)) throw new Refused('INVALID_REQUEST', 'The body must be a JSON object.');
  return body;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function clip(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}

/** A server as defined in this folder: its description, its functions with fresh state, and its record. */
export interface NaturalDefinition {
  readonly name: string;
  readonly description: string;
  readonly open: () => readonly NaturalFunction[];
  readonly changes?: readonly string[];
  readonly undecided?: readonly string[];
  /** Further functions that are undecidable in form A, whose descriptors give no types. */
  readonly undecidedInA?: readonly string[];
  readonly once?: readonly string[];
}

export function natural(definition: NaturalDefinition): NaturalRecord {
  const { name, open, changes = [], undecided = [], undecidedInA = [], once: onlyOnce = [] } = definition;
  const functions = open();
  return {
    name,
    forms: ['A', 'B'],
    functions: functions.map((fn) => fn.name),
    withoutExample: functions.filter(({ examples }) => examples === undefined).map((fn) => fn.name),
    changes,
    undecided: { A: [...undecided, ...undecidedInA], B: undecided },
    once: onlyOnce,
    start: (form, onCall) => serveNatural(serviceOf(definition), form, onCall),
  };
}

export function serviceOf({ name, description, open }: NaturalDefinition): Service {
  return { name, version: '1.2.0', description, functions: open() };
}
