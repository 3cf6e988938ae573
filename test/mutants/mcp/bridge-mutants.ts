import type { JsonObject } from '../../../src/model/json.ts';

/** An answer of a bridge, on its way to the harness. */
export interface BridgeAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: JsonObject | string;
}

/** A defect of a bridge: it changes the answers of one endpoint. */
export interface BridgeMutant {
  readonly what: string;
  readonly path: string;
  /** Null: the connection is closed without an answer. */
  readonly change: (answer: BridgeAnswer, request: JsonObject | null) => BridgeAnswer | null;
}

type Change = (body: JsonObject) => JsonObject | string;
type Members = Readonly<Record<string, unknown>>;

const without = (members: Members, name: string): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([key]) => key !== name)) as JsonObject;
const endpoint =
  (path: string) =>
  (what: string, change: Change, only: (status: number) => boolean = () => true): BridgeMutant => ({
    what: `${path}: ${what}`,
    path,
    change: (answer) =>
      typeof answer.body === 'string' || !only(answer.status)
        ? answer
        : { ...answer, body: change(answer.body) },
  });
const answering =
  (path: string) =>
  (what: string, change: BridgeMutant['change']): BridgeMutant => ({
    what: `${path}: ${what}`,
    path,
    change,
  });

const health = endpoint('/health');
const listing = endpoint('/capabilities');
const execute = endpoint('/execute');
const succeeded = (status: number): boolean => status === 200;
const refused = (status: number): boolean => status >= 400;

const functions = (what: string, change: (functions: readonly JsonObject[]) => unknown): BridgeMutant =>
  listing(
    what,
    (body) => ({ ...body, functions: change(body.functions as readonly JsonObject[]) }) as JsonObject,
  );
const first = (what: string, change: (descriptor: JsonObject) => unknown): BridgeMutant =>
  functions(what, ([one = {}, ...rest]) => [change(one), ...rest]);
const result = (what: string, change: (result: JsonObject) => unknown): BridgeMutant =>
  execute(what, (body) => ({ ...body, result: change(body.result as JsonObject) }) as JsonObject, succeeded);
const error = (what: string, change: (error: JsonObject) => unknown): BridgeMutant =>
  execute(what, (body) => ({ ...body, error: change(body.error as JsonObject) }) as JsonObject, refused);
const calls = answering('/execute');

const schemaOf = (descriptor: JsonObject): JsonObject => descriptor.parameters as JsonObject;

export const BRIDGE_MUTANTS: readonly BridgeMutant[] = [
  health('no status', (body) => without(body, 'status')),
  health('no timestamp', (body) => without(body, 'timestamp')),
  health('a timestamp that is a number', (body) => ({ ...body, timestamp: 5 })),
  health('no uptime', (body) => without(body, 'uptime')),
  health('an uptime that is a text', (body) => ({ ...body, uptime: 'long' })),
  health('no version of the contract', (body) => without(body, 'mcpVersion')),
  health('no JSON', () => 'ok'),
  answering('/health')('status 500', (answer) => ({ ...answer, status: 500 })),
  answering('/health')('status 404', () => ({ status: 404, type: 'text/html', body: '<h1>Not found</h1>' })),
  answering('/health')('no answer', () => null),
  functions('no functions', () => []),
  functions('one function too few', (all) => all.slice(1)),
  functions('a function that no tool is', (all) => [
    ...all,
    {
      name: 'invented',
      description: 'Is invented.',
      parameters: { type: 'object', properties: {} },
      returns: { type: 'object', properties: {} },
    },
  ]),
  functions('another order', (all) => [...all].toReversed()),
  functions('an object of functions', (all) => ({ ...all })),
  functions('each function twice', (all) => [...all, ...all]),
  listing('no list', (body) => without(body, 'functions')),
  first('another name', (one) => ({ ...one, name: 'other' })),
  first('no name', (one) => without(one, 'name')),
  first('another description', (one) => ({ ...one, description: 'x' })),
  first('no description', (one) => without(one, 'description')),
  first('no parameters', (one) => without(one, 'parameters')),
  first('lost properties', (one) => ({ ...one, parameters: { ...schemaOf(one), properties: {} } })),
  first('lost required names', (one) => ({ ...one, parameters: without(schemaOf(one), 'required') })),
  first('lost definitions', (one) => ({ ...one, parameters: without(schemaOf(one), '$defs') })),
  first('parameters of another type', (one) => ({ ...one, parameters: { ...schemaOf(one), type: 'array' } })),
  first('parameters that are a text', (one) => ({ ...one, parameters: 'object' })),
  first('no returns', (one) => without(one, 'returns')),
  first('other returns', (one) => ({
    ...one,
    returns: { type: 'object', properties: { total: { type: 'string' } }, required: ['total'] },
  })),
  answering('/capabilities')('status 404', (answer) => ({ ...answer, status: 404 })),
  answering('/capabilities')('no JSON', (answer) => ({ ...answer, body: '{"functions":' })),
  answering('/capabilities')('no answer', () => null),
  result('an empty result', () => ({})),
  result('no result', () => undefined),
  result('a result that is a text', (given) => JSON.stringify(given)),
  result('a wrapped result', (given) => ({ value: given })),
  result('numbers as texts', (given) =>
    Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)])),
  ),
  result('an additional member', (given) => ({ ...given, extra: true })),
  result('another sum', (given) => ({ ...given, sum: 42 })),
  execute('another requestId', (body) => ({ ...body, requestId: 'other' }), succeeded),
  execute('no requestId', (body) => without(body, 'requestId'), succeeded),
  execute('the result of a form A server', (body) => ({ output: body.result ?? null }), succeeded),
  calls('successes with status 500', (answer) =>
    succeeded(answer.status) ? { ...answer, status: 500 } : answer,
  ),
  calls('successes with status 201', (answer) =>
    succeeded(answer.status) ? { ...answer, status: 201 } : answer,
  ),
  calls('successes with status 404', (answer) =>
    succeeded(answer.status) ? { ...answer, status: 404 } : answer,
  ),
  calls('errors with status 200', (answer) => ({ ...answer, status: 200 })),
  calls('errors with status 400', (answer) => (answer.status === 500 ? { ...answer, status: 400 } : answer)),
  calls('failures as successes', (answer, request) =>
    answer.status === 500
      ? { ...answer, status: 200, body: { requestId: request?.requestId ?? null, result: { sum: 0 } } }
      : answer,
  ),
  calls('successes as failures', (answer, request) =>
    succeeded(answer.status)
      ? {
          ...answer,
          status: 500,
          body: { requestId: request?.requestId ?? null, error: { code: 'EXECUTION_ERROR', message: 'no' } },
        }
      : answer,
  ),
  calls('every function unknown', (answer, request) => ({
    ...answer,
    status: 400,
    body: { requestId: request?.requestId ?? null, error: { code: 'FUNCTION_NOT_FOUND', message: 'no' } },
  })),
  calls('an ended server', (answer, request) => ({
    ...answer,
    status: 502,
    body: { requestId: request?.requestId ?? null, error: { code: 'SERVER_ENDED', message: 'gone' } },
  })),
  calls('an invalid server', (answer, request) => ({
    ...answer,
    status: 502,
    body: { requestId: request?.requestId ?? null, error: { code: 'INVALID_ANSWER', message: 'bad' } },
  })),
  calls('half of its answer', (answer) => ({ ...answer, body: JSON.stringify(answer.body).slice(0, 20) })),
  calls('no answer', () => null),
  calls('a page', () => ({ status: 200, type: 'text/html', body: '<p>ok</p>' })),
  error('another error code', (given) => ({ ...given, code: 'OOPS' })),
  error('another message', (given) => ({ ...given, message: 'x' })),
  error('an error that is a text', (given) => JSON.stringify(given)),
  error('a stack trace', (given) => ({
    ...given,
    message: 'Error: x\n    at call (/srv/bridge/index.js:10:5)\n    at run (/srv/bridge/index.js:20:5)',
  })),
];
