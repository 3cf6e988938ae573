import { FunctionFailure, type ReferenceFunction, referenceFunctions } from './functions.ts';
import { isJsonObject, type JsonObject, validateInput } from './validate-input.ts';

export type ReferenceForm = 'A' | 'B';

export type ReferenceOptions = {
  readonly form: ReferenceForm;
  /** A monotonic clock in milliseconds: uptime must not jump when the time of day is changed. */
  readonly nowMs?: () => number;
  readonly functions?: readonly ReferenceFunction[];
};

export type ReferenceRequest = {
  readonly method: string;
  /** Below the server's address, and without the query. */
  readonly path: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
};

export type ReferenceAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * The MCP server contract (sections 2.4 to 2.6, 4.2 and 7 of the specification) without a web framework.
 * `answer` never rejects: every failure is an answer too.
 */
export type Reference = { readonly answer: (request: ReferenceRequest) => Promise<ReferenceAnswer> };

const mcpVersion = '1.0';
const server = {
  name: 'probity-reference',
  version: '1.0.0',
  description: 'A small MCP server that keeps every rule of the contract.',
} as const;

const statusByCode = {
  INVALID_REQUEST: 400,
  INVALID_INPUT: 400,
  FUNCTION_NOT_FOUND: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXECUTION_ERROR: 500,
  INTERNAL_ERROR: 500,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof statusByCode;

type Route = {
  readonly methods: readonly string[];
  readonly handle: (request: ReferenceRequest) => ReferenceAnswer | Promise<ReferenceAnswer>;
};

type Call =
  | {
      readonly kind: 'accepted';
      readonly functionName: string;
      readonly input: JsonObject;
      readonly requestId: string | undefined;
    }
  | { readonly kind: 'refused'; readonly answer: ReferenceAnswer };

export const createReference = ({
  form,
  nowMs = () => performance.now(),
  functions: offered = referenceFunctions,
}: ReferenceOptions): Reference => {
  const startedMs = nowMs();
  // A Map, not an object, so that `constructor` and `__proto__` are unknown functions.
  const functions = new Map(offered.map((fn) => [fn.name, fn]));

  const health = () =>
    jsonAnswer(200, {
      status: 'ok',
      uptime: (nowMs() - startedMs) / 1_000,
      timestamp: new Date().toISOString(),
      version: server.version,
      mcpVersion,
    });

  const capabilities = () =>
    jsonAnswer(
      200,
      form === 'A'
        ? { functions: offered.map(describeInFormA) }
        : { mcpVersion, server, functions: offered.map(describeInFormB) },
    );

  const execute = async (request: ReferenceRequest) => {
    const call = parseCall(request, form === 'A' ? 'input' : 'parameters');
    if (call.kind === 'refused') return call.answer;
    const { functionName, input, requestId } = call;

    const fn = functions.get(functionName);
    if (fn === undefined) {
      const message = 'The server has no function of this name; GET /capabilities lists those it has.';
      return errorAnswer('FUNCTION_NOT_FOUND', message, requestId);
    }
    const problem = validateInput(fn.parameters, input);
    if (problem !== undefined) return errorAnswer('INVALID_INPUT', problem, requestId);

    const calledMs = nowMs();
    try {
      const result = await fn.run(input);
      const executionTime = Math.floor(nowMs() - calledMs);
      return jsonAnswer(200, form === 'A' ? { output: result } : { requestId, result, executionTime });
    } catch (error) {
      const message = error instanceof FunctionFailure ? error.message : 'The function failed.';
      return errorAnswer('EXECUTION_ERROR', message, requestId);
    }
  };

  const routes: ReadonlyMap<string, Route> = new Map([
    ['/health', { methods: ['GET', 'HEAD'], handle: health }],
    ['/capabilities', { methods: ['GET', 'HEAD'], handle: capabilities }],
    ['/execute', { methods: ['POST'], handle: execute }],
  ]);

  return {
    answer: async (request) => {
      const route = routes.get(request.path);
      if (route === undefined) return errorAnswer('NOT_FOUND', 'There is nothing at this path.');
      if (!route.methods.includes(request.method)) {
        const allow = route.methods.join(', ');
        const refusal = errorAnswer('METHOD_NOT_ALLOWED', `This path answers ${allow} only.`);
        return { ...refusal, headers: { ...refusal.headers, allow } };
      }
      return route.handle(request);
    },
  };
};

export const errorAnswer = (
  code: ErrorCode,
  message: string,
  requestId?: string | undefined,
): ReferenceAnswer => jsonAnswer(statusByCode[code], { error: { code, message }, requestId });

/** The answer to a request that the web framework refused itself, for example because the body is too large. */
export const answerFrameworkError = (error: unknown): ReferenceAnswer => {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 413) return errorAnswer('PAYLOAD_TOO_LARGE', 'The body is too large.');
  if (status === 415) return errorAnswer('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  if (status >= 400 && status < 500) return errorAnswer('INVALID_REQUEST', 'The request is malformed.');
  return errorAnswer('INTERNAL_ERROR', 'The server failed.');
};

const jsonAnswer = (status: number, value: JsonObject): ReferenceAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});

const describeInFormA = ({ name, description, parameters, returns, examples }: ReferenceFunction) => ({
  name,
  description,
  inputs: Object.keys(parameters.properties),
  outputs: Object.keys(returns.properties),
  examples,
});

const describeInFormB = ({ name, description, parameters, returns, examples }: ReferenceFunction) => ({
  name,
  description,
  parameters,
  returns,
  examples: examples.map(({ input, output }) => ({ parameters: input, result: output })),
});

const parseCall = ({ contentType, body }: ReferenceRequest, inputKey: 'input' | 'parameters'): Call => {
  const refuse = (code: ErrorCode, message: string, requestId?: string | undefined): Call => ({
    kind: 'refused',
    answer: errorAnswer(code, message, requestId),
  });

  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const isUntypedAndEmpty = mediaType === undefined && body.length === 0;
  if (mediaType !== 'application/json' && !isUntypedAndEmpty) {
    return refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  }
  if (body.length === 0) return refuse('INVALID_REQUEST', 'The body is empty.');

  const parsed = parseJson(body);
  if (!isJsonObject(parsed)) return refuse('INVALID_REQUEST', 'The body must be one JSON object, in UTF-8.');

  const { function: functionName, [inputKey]: input = {}, requestId } = parsed;
  if (requestId !== undefined && typeof requestId !== 'string') {
    return refuse('INVALID_REQUEST', 'requestId must be a string.');
  }
  if (typeof functionName !== 'string') {
    return refuse('INVALID_REQUEST', 'function must be given, and be a string.', requestId);
  }
  if (!isJsonObject(input)) return refuse('INVALID_REQUEST', `${inputKey} must be an object.`, requestId);

  return { kind: 'accepted', functionName, input, requestId };
};

/** The parsed value; undefined if the bytes are not UTF-8 or not JSON. */
const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
};
