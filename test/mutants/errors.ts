import type { Mutant, MutantRequest, RawAnswer } from './mutant.ts';
import {
  handlerFailure,
  hangUp,
  inDescriptor,
  inDescriptors,
  inRefused,
  instead,
  invalidInput,
  json,
  never,
  raw,
  served,
  servedCallOf,
  together,
  unknownFunction,
  withBody,
  withContentType,
  withStatus,
} from './mutations.ts';

const PROTOTYPE_NAMES: ReadonlySet<unknown> = new Set([
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
]);

/** A success answer, in the form of the call. */
function serve(request: MutantRequest, values: unknown): RawAnswer {
  const { requestId } = request.call;
  return json(
    200,
    'input' in request.call ? { output: values } : { requestId, result: values, executionTime: 0 },
  );
}

/** Changes members of the error of an unknown function; undefined removes one. */
function error(changes: { readonly code?: unknown; readonly message?: unknown }): Mutant['mutate'] {
  return inRefused((answer) => ({ ...answer, error: { ...answer.error, ...changes } }), unknownFunction);
}

const CODE_IS_GONE = {
  'errors/unknown-function-code': 'error.code is missing',
} as const;
const ID_IS_GONE = {
  'errors/error-request-id': 'the body of the framework has no requestId',
} as const;

export const errorsMutants: readonly Mutant[] = [
  {
    row: 'errors/unknown-function-rejected',
    form: 'both',
    name: 'an unknown function is answered with a result',
    mutate: raw(unknownFunction, (_answer, request) => serve(request, {})),
  },
  {
    row: 'errors/unknown-function-rejected',
    form: 'A',
    name: 'the error of an unknown function comes with status 200',
    mutate: raw(unknownFunction, withStatus(200)),
  },
  ...[500, 501, 302].map((status): Mutant => {
    return {
      row: 'errors/unknown-function-rejected',
      form: 'B',
      name: `an unknown function is answered with status ${status}`,
      mutate: raw(unknownFunction, withStatus(status)),
    };
  }),
  {
    row: 'errors/unknown-function-rejected',
    form: 'B',
    name: 'an unknown function closes the connection',
    mutate: raw(unknownFunction, () => hangUp()),
  },
  {
    row: 'errors/unknown-function-rejected',
    form: 'A',
    name: 'an unknown function is never answered',
    mutate: raw(unknownFunction, () => never()),
  },

  ...[404, 422, 401, 405].map((status, index): Mutant => {
    return {
      row: 'errors/unknown-function-status',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `an unknown function is answered with status ${status}`,
      mutate: raw(unknownFunction, withStatus(status)),
    };
  }),

  ...['NOT_FOUND', 'function_not_found', 'UnknownFunctionError', ''].map((code, index): Mutant => {
    return {
      row: 'errors/unknown-function-code',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `error.code of an unknown function is ${JSON.stringify(code)}`,
      mutate: error({ code }),
    };
  }),

  {
    row: 'errors/error-body',
    form: 'both',
    name: 'error.message is missing',
    mutate: error({ message: undefined }),
  },
  {
    row: 'errors/error-body',
    form: 'A',
    name: 'error.message is null',
    mutate: error({ message: null }),
  },
  {
    row: 'errors/error-body',
    form: 'B',
    name: 'error.message is a list',
    mutate: error({ message: ['unknown', 'function'] }),
  },
  {
    row: 'errors/error-body',
    form: 'both',
    name: 'error is a string',
    mutate: inRefused((answer) => ({ ...answer, error: answer.error.message }), unknownFunction),
    alsoFails: CODE_IS_GONE,
  },
  {
    row: 'errors/error-body',
    form: 'A',
    name: 'error.code is missing',
    mutate: error({ code: undefined }),
    alsoFails: CODE_IS_GONE,
  },
  {
    row: 'errors/error-body',
    form: 'B',
    name: 'error.code is a number',
    mutate: error({ code: -32_601 }),
    alsoFails: CODE_IS_GONE,
  },
  {
    row: 'errors/error-body',
    form: 'A',
    name: 'code and message are at the top level',
    mutate: inRefused(({ error: { code, message } }) => ({ code, message }), unknownFunction),
    alsoFails: CODE_IS_GONE,
  },
  ...(['A', 'B'] as const).map((form): Mutant => {
    return {
      row: 'errors/error-body',
      form,
      name: 'the error is a page of HTML',
      mutate: raw(unknownFunction, (answer) =>
        withContentType('text/html')(withBody('<!doctype html><h1>Bad Request</h1>')(answer)),
      ),
      alsoFails: CODE_IS_GONE,
    };
  }),
  {
    row: 'errors/error-body',
    form: 'A',
    name: 'the body of the error is empty',
    mutate: raw(unknownFunction, withBody('')),
    alsoFails: CODE_IS_GONE,
  },
  {
    row: 'errors/error-body',
    form: 'B',
    name: 'the body of the error is a string',
    mutate: raw(unknownFunction, withBody('"unknown function"')),
    alsoFails: CODE_IS_GONE,
  },
  {
    row: 'errors/error-body',
    form: 'A',
    name: 'the body of the error is a list',
    mutate: inRefused((answer) => [answer], unknownFunction),
    alsoFails: CODE_IS_GONE,
  },
  {
    row: 'errors/error-body',
    form: 'both',
    name: 'the error of a handler has no message',
    mutate: inRefused((answer) => ({ ...answer, error: { code: answer.error.code } }), handlerFailure),
  },
  ...(['A', 'B'] as const).map((form): Mutant => {
    const code = { 'errors/handler-failure-code': 'error.code is missing' };
    return {
      row: 'errors/error-body',
      form,
      name: 'the error of a handler is a stack trace',
      mutate: raw(handlerFailure, withBody('Error: division by zero\n    at divide (divide.js:3:11)')),
      alsoFails: code,
    };
  }),
  {
    row: 'errors/error-body',
    form: 'both',
    name: 'every function refuses generated inputs with a page of HTML',
    mutate: together(
      inDescriptors((descriptor) => ({ ...descriptor, examples: undefined })),
      raw(served, (answer) =>
        withContentType('text/html')(withStatus(500)(withBody('<h1>Internal Server Error</h1>')(answer))),
      ),
    ),
    // The only function with a sample, and those without inputs.
    alsoFails: {
      'documentation/examples': 'only generated inputs may be refused',
      'execute/status-200': 'a function with a sample is refused too',
    },
  },
  {
    row: 'errors/error-body',
    form: 'B',
    name: 'an invalid input is refused in the form of the framework',
    mutate: raw(invalidInput, withBody('{"statusCode":422,"message":["a must be a number"]}')),
    alsoFails: ID_IS_GONE,
  },
  {
    row: 'errors/error-body',
    form: 'B',
    name: 'an invalid input is refused with a page of HTML',
    mutate: raw(invalidInput, withBody('<h1>Bad Request</h1>')),
  },
  {
    row: 'errors/error-body',
    form: 'A',
    name: 'a generated input is refused in the form of the framework',
    mutate: together(
      inDescriptor('greet', (descriptor) => ({ ...descriptor, examples: undefined })),
      raw(servedCallOf('greet'), () => json(422, { detail: [{ loc: ['body', 'input'], msg: 'no' }] })),
    ),
    alsoFails: { 'documentation/examples': 'only a generated input may be refused' },
  },

  ...(
    [
      ['an unknown function', unknownFunction],
      ['a handler that fails', handlerFailure],
      ['an invalid input', invalidInput],
    ] as const
  ).flatMap(([whose, applies]): readonly Mutant[] => [
    {
      row: 'errors/error-request-id',
      form: 'B',
      name: `the error of ${whose} has no requestId`,
      mutate: inRefused((answer) => ({ ...answer, requestId: undefined }), applies),
    },
    {
      row: 'errors/error-request-id',
      form: 'B',
      name: `the error of ${whose} has null for the requestId`,
      mutate: inRefused((answer) => ({ ...answer, requestId: null }), applies),
    },
    {
      row: 'errors/error-request-id',
      form: 'B',
      name: `the error of ${whose} has the requestId inside error`,
      mutate: inRefused(({ requestId, error: inner }) => ({ error: { ...inner, requestId } }), applies),
    },
    {
      row: 'errors/error-request-id',
      form: 'B',
      name: `the error of ${whose} has a generated requestId`,
      mutate: inRefused((answer) => ({ ...answer, requestId: 'req-1' }), applies),
    },
  ]),

  ...[200, 400, 422, 502, 503].map((status, index): Mutant => {
    return {
      row: 'errors/handler-failure-status',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `a handler that fails is answered with status ${status}`,
      mutate: raw(handlerFailure, withStatus(status)),
    };
  }),
  {
    row: 'errors/handler-failure-status',
    form: 'both',
    name: 'a handler that fails is answered with a result that holds the error',
    mutate: raw(handlerFailure, (_answer, request) => serve(request, { error: 'division by zero' })),
  },
  {
    row: 'errors/handler-failure-status',
    form: 'A',
    name: 'a handler that fails is never answered',
    mutate: raw(handlerFailure, () => never()),
  },
  {
    row: 'errors/handler-failure-status',
    form: 'B',
    name: 'a handler that fails closes the connection',
    mutate: raw(handlerFailure, () => hangUp()),
  },

  ...['ECONNREFUSED', 'INTERNAL_ERROR', 'execution_error', ''].map((code, index): Mutant => {
    return {
      row: 'errors/handler-failure-code',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `error.code of a handler that fails is ${JSON.stringify(code)}`,
      mutate: inRefused((answer) => ({ ...answer, error: { ...answer.error, code } }), handlerFailure),
    };
  }),

  ...invalidInputs(),

  {
    row: 'errors/prototype-names',
    form: 'both',
    name: 'the handlers are kept in a plain object',
    mutate: instead((request) => {
      if (!PROTOTYPE_NAMES.has(request.call.function)) return undefined;
      const handlers: Readonly<Record<string, unknown>> = {};
      const handler = handlers[String(request.call.function)];
      return typeof handler === 'function'
        ? serve(request, {})
        : json(500, { error: { code: 'EXECUTION_ERROR', message: 'handler is not a function' } });
    }),
  },
  ...[...PROTOTYPE_NAMES].map((name, index): Mutant => {
    return {
      row: 'errors/prototype-names',
      form: index % 2 === 0 ? 'A' : 'B',
      name: `the name ${name} ends in status 500`,
      mutate: instead((request) =>
        request.call.function === name
          ? json(500, { error: { code: 'EXECUTION_ERROR', message: 'It went wrong.' } })
          : undefined,
      ),
    };
  }),
  {
    row: 'errors/prototype-names',
    form: 'A',
    name: 'the name constructor closes the connection',
    mutate: instead((request) => (request.call.function === 'constructor' ? hangUp() : undefined)),
  },
];

/** Invalid calls: a required parameter is missing, or of the wrong type. */
function invalidInputs(): readonly Mutant[] {
  const isMissing = (request: MutantRequest, answer: RawAnswer): boolean =>
    invalidInput(request, answer) && answer.body.includes('is required');
  const isWrong = (request: MutantRequest, answer: RawAnswer): boolean =>
    invalidInput(request, answer) && !answer.body.includes('is required');
  return (
    [
      ['errors/missing-required', 'a missing parameter', isMissing],
      ['errors/wrong-type', 'a parameter of the wrong type', isWrong],
    ] as const
  ).flatMap(([row, what, applies]): readonly Mutant[] => [
    {
      row,
      form: 'B',
      name: `${what} is ignored, and NaN is returned as null`,
      mutate: raw(applies, (_answer, request) => serve(request, { sum: null })),
    },
    {
      row,
      form: 'B',
      name: `${what} is ignored by one function`,
      mutate: raw(
        (request, answer) => applies(request, answer) && request.call.function === 'greet',
        (_answer, request) => serve(request, { greeting: 'Hello, [object Object]!' }),
      ),
    },
    {
      row,
      form: 'B',
      name: `the error of ${what} comes with status 200`,
      mutate: raw(applies, withStatus(200)),
    },
    {
      row,
      form: 'B',
      name: `${what} is answered with 404, as without the operation`,
      mutate: raw(applies, () => json(404, { detail: 'Not Found' })),
    },
    {
      row,
      form: 'B',
      name: `${what} is answered with status 503`,
      mutate: raw(applies, withStatus(503)),
    },
    {
      row,
      form: 'B',
      name: `${what} closes the connection`,
      mutate: raw(applies, () => hangUp()),
    },
  ]);
}
