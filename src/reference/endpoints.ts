import { isJsonObject, type JsonObject } from './validate-input.ts';

/** The two wire forms of the contract. */
export type WireForm = 'A' | 'B';

/** The fields of W3C Trace Context that came with a request. */
export type TraceFields = {
  readonly traceparent: string;
  readonly tracestate?: string;
};

export type EndpointRequest = {
  readonly method: string;
  /** Below the server's address, and without the query. */
  readonly path: string;
  readonly contentType: string | undefined;
  /** The header Origin, which only browsers send. */
  readonly origin?: string | undefined;
  readonly trace?: TraceFields | undefined;
  readonly body: Uint8Array;
  /** Aborted when the caller closes the connection before it has the answer. */
  readonly signal?: AbortSignal;
};

export type EndpointAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A call whose body is valid; whether the function exists is not known yet. */
export type AcceptedCall = {
  readonly functionName: string;
  readonly input: JsonObject;
  readonly requestId: string | undefined;
  readonly trace?: TraceFields | undefined;
  readonly signal: AbortSignal | undefined;
};

/** What a server answers at the three endpoints. */
export type Service = {
  readonly health: () => EndpointAnswer | Promise<EndpointAnswer>;
  readonly capabilities: () => EndpointAnswer | Promise<EndpointAnswer>;
  readonly call: (call: AcceptedCall) => EndpointAnswer | Promise<EndpointAnswer>;
};

export type Answering = (request: EndpointRequest) => Promise<EndpointAnswer>;

const statusByCode = {
  INVALID_REQUEST: 400,
  INVALID_INPUT: 400,
  FUNCTION_NOT_FOUND: 400,
  FORBIDDEN: 403,
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
  readonly handle: (request: EndpointRequest) => EndpointAnswer | Promise<EndpointAnswer>;
};

/** The three endpoints of a service (sections 2.4 to 2.6 and 7 of the specification) without a web framework. */
export const createEndpoints = (
  form: WireForm,
  { health, capabilities, call }: Service,
  parse: (json: string) => unknown = JSON.parse,
): Answering => {
  const execute = (request: EndpointRequest) => {
    const parsed = parseCall(request, form === 'A' ? 'input' : 'parameters', parse);
    return parsed.kind === 'refused' ? parsed.answer : call(parsed);
  };

  const routes: ReadonlyMap<string, Route> = new Map([
    ['/health', { methods: ['GET', 'HEAD'], handle: health }],
    ['/capabilities', { methods: ['GET', 'HEAD'], handle: capabilities }],
    ['/execute', { methods: ['POST'], handle: execute }],
  ]);

  return async (request) => {
    const route = routes.get(request.path);
    if (route === undefined) return errorAnswer('NOT_FOUND', 'There is nothing at this path.');
    if (!route.methods.includes(request.method)) {
      const allow = route.methods.join(', ');
      const refusal = errorAnswer('METHOD_NOT_ALLOWED', `This path answers ${allow} only.`);
      return { ...refusal, headers: { ...refusal.headers, allow } };
    }
    return route.handle(request);
  };
};

export const errorAnswer = (
  code: ErrorCode,
  message: string,
  requestId?: string | undefined,
): EndpointAnswer => jsonAnswer(statusByCode[code], { error: { code, message }, requestId });

/** The answer to a request that the web framework refused itself, for example because the body is too large. */
export const answerFrameworkError = (error: unknown): EndpointAnswer => {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 413) return errorAnswer('PAYLOAD_TOO_LARGE', 'The body is too large.');
  if (status === 415) return errorAnswer('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  if (status >= 400 && status < 500) return errorAnswer('INVALID_REQUEST', 'The request is malformed.');
  return errorAnswer('INTERNAL_ERROR', 'The server failed.');
};

export const jsonAnswer = (status: number, value: JsonObject): EndpointAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});

/** Without its parameters. */
export const mediaTypeOf = (contentType: string | undefined): string | undefined =>
  contentType?.split(';', 1)[0]?.trim().toLowerCase();

type ParsedCall =
  | ({ readonly kind: 'accepted' } & AcceptedCall)
  | { readonly kind: 'refused'; readonly answer: EndpointAnswer };

const parseCall = (
  { contentType, trace, body, signal }: EndpointRequest,
  inputKey: 'input' | 'parameters',
  parse: (json: string) => unknown,
): ParsedCall => {
  const refuse = (code: ErrorCode, message: string, requestId?: string | undefined): ParsedCall => ({
    kind: 'refused',
    answer: errorAnswer(code, message, requestId),
  });

  const mediaType = mediaTypeOf(contentType);
  const isUntypedAndEmpty = mediaType === undefined && body.length === 0;
  if (mediaType !== 'application/json' && !isUntypedAndEmpty) {
    return refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  }
  if (body.length === 0) return refuse('INVALID_REQUEST', 'The body is empty.');

  const parsed = parseJson(body, parse);
  if (!isJsonObject(parsed)) return refuse('INVALID_REQUEST', 'The body must be one JSON object, in UTF-8.');

  const { function: functionName, [inputKey]: input = {}, requestId } = parsed;
  if (requestId !== undefined && typeof requestId !== 'string') {
    return refuse('INVALID_REQUEST', 'requestId must be a string.');
  }
  if (typeof functionName !== 'string') {
    return refuse('INVALID_REQUEST', 'function must be given, and be a string.', requestId);
  }
  if (!isJsonObject(input)) return refuse('INVALID_REQUEST', `${inputKey} must be an object.`, requestId);

  return { kind: 'accepted', functionName, input, requestId, trace, signal };
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The parsed value; undefined if the bytes are not UTF-8 or not JSON. */
const parseJson = (body: Uint8Array, parse: (json: string) => unknown): unknown => {
  try {
    return parse(strictUtf8.decode(body));
  } catch {
    return undefined;
  }
};
