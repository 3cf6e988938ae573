import { setTimeout as delay } from 'node:timers/promises';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { Form } from '../../src/model/requirement.ts';
import { type Members, type NaturalFunction, Refused, type RunningServer } from './natural-server.ts';
import { startExpressWithoutErrorHandler, startFastifyWithItsOwnErrors } from './planted-frameworks.ts';
import { type Craft, careful, type Reply, type Service, serveNatural } from './serve-natural.ts';
import { integer, list, number, object, text } from './shapes.ts';

/** A typical mistake of an author, in an otherwise correct server. */
export interface PlantedBug {
  readonly name: string;
  readonly forms: readonly Form[];
  /** The row that must fail. */
  readonly row: string;
  /** Rows that also fail, because they judge the same answers. */
  readonly also: readonly RegExp[];
  readonly options: CheckOptions;
  readonly start: (form: Form) => Promise<RunningServer>;
  /** The same server with one more function; null if its functions are not ours to extend. */
  readonly startWith: ((form: Form, beside: NaturalFunction) => Promise<RunningServer>) | null;
}

/** Nobody can call it without knowing an id that no other function returns. */
export const REFUSING: NaturalFunction = {
  name: 'getVoucher',
  description: 'Returns a voucher.',
  parameters: object({ voucherCode: text('Code on the voucher') }),
  returns: object({ euros: number('Its value.') }),
  run: ({ voucherCode }: { voucherCode: string }) => {
    throw new Refused('NOT_FOUND', `There is no voucher ${String(voucherCode).slice(0, 20)}.`, 404);
  },
};

/** Its answer takes longer than any check waits. */
export const SILENT: NaturalFunction = {
  name: 'nextEvent',
  description: 'Returns the next event.',
  parameters: object({}),
  returns: object({ event: text('Its name.') }),
  run: () => new Promise(() => undefined),
};

interface Planting {
  readonly name: string;
  readonly row: string;
  readonly forms?: readonly Form[];
  readonly also?: readonly RegExp[];
  readonly options?: CheckOptions;
  readonly functions?: () => readonly NaturalFunction[];
  /** Called for each server, so that each has its own state. */
  readonly craft?: (form: Form) => Partial<Craft>;
}

function plant({ name, row, forms = ['A', 'B'], also = [], options = {}, ...rest }: Planting): PlantedBug {
  const { functions = textTools, craft = () => ({}) } = rest;
  return {
    name,
    row,
    forms,
    // What is wrong with usual inputs is wrong with generated ones.
    also: [...also, /^inputs\//],
    options,
    start: (form) => serveNatural(serviceOf(functions()), form, undefined, { ...careful, ...craft(form) }),
    startWith: (form, beside) =>
      serveNatural(serviceOf([...functions(), beside]), form, undefined, { ...careful, ...craft(form) }),
  };
}

function serviceOf(functions: readonly NaturalFunction[]): Service {
  return { name: 'text-tools', version: '2.0.1', description: 'Small tools for text.', functions };
}

/** Reading functions only: some accept any text, and one fails for some inputs. */
function textTools(): readonly NaturalFunction[] {
  return [
    {
      name: 'shout',
      description: 'Text in capitals.',
      parameters: object({ text: text('Any text') }),
      returns: object({ shouted: text('The text in capitals.'), original: text('The text as it was.') }),
      run: ({ text: given }: { text: string }) => ({
        shouted: String(given).toUpperCase(),
        original: String(given),
      }),
    },
    {
      name: 'countWords',
      description: 'Number of words in a text.',
      parameters: object({ text: text('Any text') }),
      returns: object({ words: integer('How many.'), first: text('The first of them.') }),
      run: ({ text: given }: { text: string }) => {
        const words = String(given).split(/\s+/);
        return { words: words.length, first: words[0] };
      },
    },
    {
      name: 'divide',
      description: 'Divides one number by another.',
      parameters: object({ dividend: number('To be divided'), divisor: number('Not 0') }),
      returns: object({ quotient: number('The result.') }),
      examples: [{ dividend: 10, divisor: 4 }],
      run: ({ dividend, divisor }: { dividend: number; divisor: number }) => {
        if (divisor === 0) throw new Error('division by zero');
        const quotient = dividend / divisor;
        if (!Number.isFinite(quotient)) throw new Error('the quotient is too large');
        return { quotient };
      },
    },
    {
      name: 'languages',
      description: 'Languages that the tools know.',
      parameters: object({}),
      returns: object({ languages: list({ type: 'string' }, 'Codes.') }),
      run: () => ({ languages: ['en', 'de'] }),
    },
  ];
}

const FAILING: CheckOptions = {
  samples: {
    divide: [{ input: { dividend: 9, divisor: 3 } }, { input: { dividend: 1, divisor: 0 }, fails: true }],
  },
};
/** Rows that may judge a mixed-up answer. */
const MIXED_UP = [/^(execute|errors)\//];
const ERROR_BODIES = [/^errors\/(missing-required|wrong-type|error-request-id|handler-failure-code)$/];

const STATEMENT_MS = 25;
const MAX_WAIT_MS = 200;

type Query = () => Promise<void>;

/**
 * The database of one server: a statement takes 25 ms. Calls must overlap on any machine, so a statement waits for
 * another one to begin, up to MAX_WAIT_MS.
 */
function database(): Query {
  let begin: (() => void) | undefined;
  const another = (): Promise<void> =>
    new Promise((resolve) => {
      if (begin !== undefined) {
        begin();
        begin = undefined;
        return resolve();
      }
      begin = resolve;
      setTimeout(() => {
        if (begin === resolve) begin = undefined;
        resolve();
      }, MAX_WAIT_MS).unref();
    });
  return async () => {
    await another();
    await delay(STATEMENT_MS);
  };
}

/** Keeps its input in a variable of the module while it waits for the database. */
function leaky(
  name: string,
  description: string,
  properties: Members,
  compute: (input: Members) => Members,
  returns: Members,
): NaturalFunction {
  const query = database();
  let current: Members = {};
  return {
    name,
    description,
    parameters: object(properties),
    returns: object(returns),
    run: async (input: Members) => {
      current = input;
      await query();
      return compute(current);
    },
  };
}

/** Creates something with the input that a variable of the module holds after the database has answered. */
function created(name: string, description: string, properties: Members): NaturalFunction {
  let count = 0;
  const compute = (input: Members): Members => {
    count += 1;
    return { id: `no-${count}`, ...input };
  };
  return leaky(name, description, properties, compute, { id: text('Its number.'), ...properties });
}

const LEAKS: readonly PlantedBug[] = [
  plant({
    name: 'input is kept in a module variable across an await: any text',
    row: 'execute/concurrent-isolation',
    functions: () => [
      leaky(
        'titleCase',
        'Text with capitals as in a title.',
        { text: text('Any text') },
        ({ text: given }) => ({
          title: String(given).replace(/^./, (first) => first.toUpperCase()),
          source: given,
        }),
        { title: text('The title.'), source: text('The text it was made of.') },
      ),
    ],
  }),
  plant({
    name: 'input is kept in a module variable across an await: text with maxLength',
    row: 'execute/concurrent-isolation',
    forms: ['B'],
    functions: () => [
      leaky(
        'slug',
        'Last part of an address for a short title.',
        { title: text('Title', { minLength: 3, maxLength: 12 }) },
        ({ title }) => ({ slug: String(title).toLowerCase().replaceAll(' ', '-'), title }),
        { slug: text('The slug.'), title: text('The title.') },
      ),
    ],
  }),
  plant({
    name: 'input is kept in a module variable across an await: text with a pattern',
    row: 'execute/concurrent-isolation',
    forms: ['B'],
    functions: () => [
      leaky(
        'plateInfo',
        'District of a number plate.',
        { plate: text('Number plate', { pattern: '^[A-Z]{2}-\\d{4}$' }) },
        ({ plate }) => ({ plate, district: String(plate).slice(0, 2) }),
        { plate: text('The plate.'), district: text('Its district.') },
      ),
    ],
  }),
  plant({
    name: 'input is kept in a module variable across an await: text with a format',
    row: 'execute/concurrent-isolation',
    forms: ['B'],
    functions: () => [
      leaky(
        'gravatar',
        'Picture of the owner of an e-mail address.',
        { email: text('E-mail address', { format: 'email' }) },
        ({ email }) => ({ email, domain: String(email).split('@')[1] ?? '' }),
        { email: text('The address.'), domain: text('Its domain.') },
      ),
    ],
  }),
  plant({
    name: 'input is kept in a module variable across an await: numbers only',
    row: 'execute/concurrent-isolation',
    functions: () => [
      leaky(
        'rectangle',
        'Area of a rectangle.',
        { width: number('Width in metres'), height: number('Height in metres') },
        ({ width, height }) => ({ width, height, area: Number(width) * Number(height) }),
        { width: number('Width.'), height: number('Height.'), area: number('Square metres.') },
      ),
    ],
  }),
  plant({
    name: 'a function that creates something keeps its input in a module variable across an await',
    row: 'execute/concurrent-isolation',
    functions: () => [
      created('createOrder', 'Places an order.', {
        customer: text('Who orders'),
        amount: number('In euros'),
      }),
      {
        name: 'listCountries',
        description: 'Countries to which the shop delivers.',
        parameters: object({}),
        returns: object({ countries: list({ type: 'string' }, 'Codes.') }),
        run: () => ({ countries: ['NO', 'SE'] }),
      },
    ],
  }),
  plant({
    name: 'a function that creates something keeps its numbers in a module variable across an await',
    row: 'execute/concurrent-isolation',
    forms: ['B'],
    functions: () => [
      created('addMeasurement', 'Adds a measurement.', { pressure: number('In hectopascals') }),
    ],
  }),
  plant({
    name: 'functions with the same keys share a module variable across an await',
    row: 'execute/concurrent-isolation',
    functions: () => {
      const query = database();
      let current = '';
      const shared = (
        name: string,
        description: string,
        change: (given: string) => string,
      ): NaturalFunction => ({
        name,
        description,
        parameters: object({ text: text('Any text') }),
        returns: object({ text: text('The changed text.') }),
        run: async ({ text: given }: { text: string }) => {
          current = given;
          await query();
          return { text: change(current) };
        },
      });
      return [
        shared('trim', 'Text without spaces around it.', (given) => given.trim()),
        shared('quote', 'Text in quotation marks.', (given) => `“${given}”`),
      ];
    },
  }),
  plant({
    name: 'results are cached by the name of the function alone',
    row: 'execute/concurrent-isolation',
    // Rows that compare a result with its input also judge the cached answer.
    also: MIXED_UP,
    craft: () => {
      const cache = new Map<string, Members>();
      return {
        run: async ({ fn, input }) => {
          const kept = cache.get(fn.name);
          if (kept !== undefined) return kept;
          const result = await fn.run(input as never);
          cache.set(fn.name, result);
          return result;
        },
      };
    },
  }),
  plant({
    name: 'results are written into one buffer that is reused',
    row: 'execute/concurrent-isolation',
    also: MIXED_UP,
    craft: () => {
      const buffer = Buffer.alloc(64 * 1024);
      let length = 0;
      const query = database();
      return {
        encode: async (body) => {
          if (body.output === undefined && body.result === undefined) return careful.encode(body);
          length = buffer.write(JSON.stringify(body));
          // A log line is written before the answer is.
          await query();
          return Buffer.from(buffer.subarray(0, length));
        },
      };
    },
  }),
  plant({
    name: 'requestId is kept in a module variable across an await',
    row: 'execute/concurrent-isolation',
    forms: ['B'],
    also: MIXED_UP,
    craft: () => {
      const query = database();
      let current: string | undefined;
      return {
        run: async ({ fn, input, requestId }) => {
          current = requestId;
          await query();
          return fn.run(input as never);
        },
        success: (_form, _call, result, tookMs) => ({
          status: 200,
          body: { requestId: current, result, executionTime: Math.floor(tookMs) },
        }),
      };
    },
  }),
];

/** What /health reports. */
const HEALTH: readonly PlantedBug[] = [
  plant({
    name: 'uptime is the Unix time',
    row: 'health/uptime-seconds',
    craft: () => ({
      health: (service, startedMs) => ({
        ...careful.health(service, startedMs),
        uptime: Math.floor(Date.now() / 1000),
      }),
    }),
  }),
  plant({
    name: 'uptime is in milliseconds',
    row: 'health/uptime-seconds',
    craft: () => ({
      health: (service, startedMs) => ({
        ...careful.health(service, startedMs),
        uptime: performance.now() - startedMs,
      }),
    }),
  }),
  plant({
    name: 'uptime is in nanoseconds',
    row: 'health/uptime-seconds',
    craft: () => ({
      health: (service, startedMs) => ({
        ...careful.health(service, startedMs),
        uptime: Number(process.hrtime.bigint()),
      }),
    }),
  }),
  plant({
    name: 'timestamp is that of the start',
    row: 'health/timestamp-current',
    craft: () => {
      const timestamp = new Date().toISOString();
      return { health: (service, startedMs) => ({ ...careful.health(service, startedMs), timestamp }) };
    },
  }),
  plant({
    name: 'timestamp is local time without a zone',
    row: 'health/timestamp-zone',
    craft: () => ({
      health: (service, startedMs) => ({
        ...careful.health(service, startedMs),
        timestamp: new Date().toISOString().slice(0, 19),
      }),
    }),
  }),
  plant({
    name: 'status is UP, as other frameworks say',
    row: 'health/operational',
    also: [/^robustness\/survives$/],
    craft: () => ({
      health: (service, startedMs) => ({ ...careful.health(service, startedMs), status: 'UP' }),
    }),
  }),
];

function page(title: string): string {
  return `<!DOCTYPE html><html><head><title>Error</title></head><body><pre>${title}</pre></body></html>`;
}

/** The reading functions and one that always fails. */
function withBroken(message: string): () => readonly NaturalFunction[] {
  return () => [
    ...textTools(),
    {
      name: 'summarise',
      description: 'Summary of a text in one sentence.',
      parameters: object({ text: text('Any text') }),
      returns: object({ summary: text('One sentence.') }),
      run: () => {
        throw new Error(message);
      },
    },
  ];
}

/** A function that accepts only some inputs, which cannot be guessed. */
function withPicky(): readonly NaturalFunction[] {
  return [
    ...textTools(),
    {
      name: 'describeCity',
      description: 'A sentence about a city that the atlas knows.',
      parameters: object({ atlasEntry: text('Entry of the atlas') }),
      returns: object({ sentence: text('A sentence.') }),
      run: ({ atlasEntry }: { atlasEntry: string }) => {
        throw new Refused('UNKNOWN_CITY', `The atlas has no entry ${atlasEntry}.`, 422);
      },
    },
  ];
}

/** Refused inputs get the body of a framework; everything else follows the contract. */
function refusedAs(bodyOf: (error: Refused) => Reply['body']): () => Partial<Craft> {
  return () => ({
    failure: (form, error, requestId, name) => {
      const isOfInput = error instanceof Refused && ['INVALID_INPUT', 'UNKNOWN_CITY'].includes(error.code);
      return isOfInput ? { status: 422, body: bodyOf(error) } : careful.failure(form, error, requestId, name);
    },
  });
}

const ERRORS: readonly PlantedBug[] = [
  plant({
    name: 'a handler that crashes is answered with a page of HTML',
    row: 'errors/error-body',
    also: ERROR_BODIES,
    functions: withBroken('model not loaded'),
    craft: (form) => ({
      failure: (_form, error, requestId, name) =>
        error instanceof Refused
          ? careful.failure(form, error, requestId, name)
          : { status: 500, body: page('Internal Server Error') },
    }),
  }),
  plant({
    name: 'refused inputs have the body of FastAPI',
    row: 'errors/error-body',
    also: ERROR_BODIES,
    functions: withPicky,
    craft: refusedAs(({ message }) => ({ detail: [{ type: 'value_error', loc: ['body'], msg: message }] })),
  }),
  plant({
    name: 'refused inputs have the body of Fastify',
    row: 'errors/error-body',
    also: ERROR_BODIES,
    functions: withPicky,
    craft: refusedAs(({ message }) => ({ statusCode: 422, error: 'Unprocessable Entity', message })),
  }),
  plant({
    name: 'refused inputs have the body of Spring',
    row: 'errors/error-body',
    also: ERROR_BODIES,
    functions: withPicky,
    craft: refusedAs(() => ({
      timestamp: new Date().toISOString(),
      status: 422,
      error: 'Unprocessable Entity',
      path: '/execute',
    })),
  }),
  plant({
    name: 'error bodies have no requestId',
    row: 'errors/error-request-id',
    forms: ['B'],
    craft: () => ({
      failure: (form, error, _requestId, name) => careful.failure(form, error, undefined, name),
    }),
  }),
  plant({
    name: 'only refused inputs have no requestId',
    row: 'errors/error-request-id',
    forms: ['B'],
    craft: () => ({
      failure: (form, error, requestId, name) =>
        careful.failure(
          form,
          error,
          error instanceof Refused && error.code === 'INVALID_INPUT' ? undefined : requestId,
          name,
        ),
    }),
  }),
  plant({
    name: 'a failing handler is answered 200 with an error inside',
    row: 'errors/handler-failure-status',
    also: [/^errors\//],
    options: FAILING,
    craft: (form) => ({
      failure: (_form, error, requestId, name) => {
        if (error instanceof Refused) return careful.failure(form, error, requestId, name);
        const inside = { error: (error as Error).message };
        return {
          status: 200,
          body: form === 'A' ? { output: inside } : { requestId, result: inside, executionTime: 0 },
        };
      },
    }),
  }),
  plant({
    name: 'a 500 has no error.code',
    row: 'errors/error-body',
    also: ERROR_BODIES,
    options: FAILING,
    craft: (form) => ({
      failure: (_form, error, requestId, name) =>
        error instanceof Refused
          ? careful.failure(form, error, requestId, name)
          : { status: 500, body: { error: { message: 'The function failed.' }, requestId } },
    }),
  }),
  plant({
    name: 'error.code is that of the exception',
    row: 'errors/handler-failure-code',
    options: FAILING,
    craft: (form) => ({
      failure: (_form, error, requestId, name) =>
        error instanceof Refused
          ? careful.failure(form, error, requestId, name)
          : { status: 500, body: { error: { code: 'ECONNREFUSED', message: 'connect failed' }, requestId } },
    }),
  }),
  plant({
    name: 'any name is answered by a default function',
    row: 'errors/unknown-function-rejected',
    also: [/^errors\//, /^robustness\/long-name$/, /^execute\/parameters-default$/],
    craft: () => ({
      find: (service, name) => careful.find(service, name) ?? careful.find(service, 'languages'),
    }),
  }),
  plant({
    name: 'handlers are looked up in a plain object',
    row: 'errors/prototype-names',
    also: [/^errors\//],
    craft: () => ({
      find: ({ functions }, name) => {
        const table = Object.fromEntries(functions.map((fn) => [fn.name, fn.run])) as Record<
          string,
          NaturalFunction['run']
        >;
        const run = table[name];
        if (run === undefined) return undefined;
        const listed = functions.find((fn) => fn.name === name);
        return { name, description: '', parameters: object({}), returns: object({}), ...listed, run };
      },
    }),
  }),
  plant({
    name: 'an unknown function is answered 404',
    row: 'errors/unknown-function-status',
    craft: (form) => ({
      failure: (_form, error, requestId, name) => {
        const reply = careful.failure(form, error, requestId, name) as Reply;
        const isUnknown = error instanceof Refused && error.code === 'FUNCTION_NOT_FOUND';
        return isUnknown ? { ...reply, status: 404 } : reply;
      },
    }),
  }),
  plant({
    name: 'an unknown function has the code of JSON-RPC',
    row: 'errors/unknown-function-code',
    also: [/^errors\/error-body$/],
    craft: (form) => ({
      failure: (_form, error, requestId, name) =>
        error instanceof Refused && error.code === 'FUNCTION_NOT_FOUND'
          ? {
              status: 400,
              body: { error: { code: 'METHOD_NOT_FOUND_-32601', message: 'Method not found' }, requestId },
            }
          : careful.failure(form, error, requestId, name),
    }),
  }),
  plant({
    name: 'a missing parameter is used as undefined',
    row: 'errors/missing-required',
    forms: ['B'],
    also: [/^errors\/wrong-type$/],
    craft: () => ({ refuseInvalid: () => undefined }),
  }),
  plant({
    name: 'a list instead of a string is joined by commas',
    row: 'errors/wrong-type',
    forms: ['B'],
    craft: () => ({
      refuseInvalid: (fn, input) =>
        careful.refuseInvalid(
          fn,
          Object.fromEntries(
            Object.entries(input).map(([key, value]) => [key, Array.isArray(value) ? String(value) : value]),
          ),
        ),
    }),
  }),
];

/** Whole servers whose framework answers errors in its own form. */
const FRAMEWORKS: readonly PlantedBug[] = [
  {
    name: 'Express has no error handler',
    forms: ['A', 'B'],
    row: 'errors/error-body',
    also: [...ERROR_BODIES, /^security\/no-stack-trace$/, /^robustness\//],
    options: {},
    start: startExpressWithoutErrorHandler,
    startWith: null,
  },
  {
    name: 'Fastify answers errors by itself',
    forms: ['A', 'B'],
    row: 'errors/error-body',
    also: [...ERROR_BODIES, /^robustness\//],
    options: {},
    start: startFastifyWithItsOwnErrors,
    startWith: null,
  },
];

const EXECUTE: readonly PlantedBug[] = [
  plant({
    name: 'a key of the result was renamed and the descriptor was not',
    row: 'execute/result-keys-declared',
    forms: ['B'],
    functions: () => textTools().map((fn) => ({ ...fn, returns: { ...fn.returns, required: [] } })),
    craft: (form) => ({
      success: (_form, call, { words, ...rest }, tookMs) =>
        careful.success(form, call, words === undefined ? rest : { wordCount: words, ...rest }, tookMs),
    }),
  }),
  plant({
    name: 'a key of the output was renamed and the descriptor was not',
    row: 'execute/outputs-declared',
    forms: ['A'],
    craft: () => ({
      success: (_form, _call, { words, ...rest }) => ({
        status: 200,
        body: { output: words === undefined ? rest : { wordCount: words, ...rest } },
      }),
    }),
  }),
  plant({
    name: 'a number is sent as text',
    row: 'execute/result-matches-returns',
    forms: ['B'],
    craft: (form) => ({
      success: (_form, call, result, tookMs) =>
        careful.success(
          form,
          call,
          Object.fromEntries(
            Object.entries(result).map(([key, value]) => [
              key,
              typeof value === 'number' ? value.toFixed(2) : value,
            ]),
          ),
          tookMs,
        ),
    }),
  }),
  plant({
    name: 'the second property of a result breaks its pattern',
    row: 'execute/result-matches-returns',
    forms: ['B'],
    functions: () => [
      ...textTools(),
      {
        name: 'invoiceNumber',
        description: 'Number and booking code of the next invoice.',
        parameters: object({}),
        returns: object({
          number: text('Number of the invoice.', { pattern: '^R-\\d{4}$' }),
          code: text('Booking code.', { pattern: '^[A-Z]{2}\\d{2}$' }),
        }),
        run: () => ({ number: 'R-0007', code: 'ab-7' }),
      },
    ],
  }),
  plant({
    name: 'a call without requestId is refused',
    row: 'execute/request-id-optional',
    forms: ['B'],
    // Invalid bodies without an id are refused for the missing id instead of the error.
    also: [/^robustness\//, /^performance\//],
    craft: () => ({
      admit: (_request, body) => {
        if (typeof body.requestId !== 'string')
          throw new Refused('INVALID_REQUEST', 'requestId is required.');
      },
    }),
  }),
  plant({
    name: 'a call without parameters is refused, although none is required',
    row: 'execute/parameters-default',
    forms: ['B'],
    craft: () => ({
      admit: (_request, body) => {
        if (body.parameters === undefined) throw new Refused('INVALID_REQUEST', 'parameters is required.');
      },
    }),
  }),
  plant({
    name: 'an Authorization header that is not expected is refused',
    row: 'execute/authorization-tolerated',
    craft: () => ({
      admit: ({ headers }) => {
        if (headers.authorization !== undefined && !headers.authorization.startsWith('Basic '))
          throw new Refused('UNAUTHORIZED', 'Only Basic authentication is supported.', 401);
      },
    }),
  }),
  plant({
    name: 'requestId is cut to the length of a column',
    row: 'execute/request-id-echo',
    forms: ['B'],
    also: [/^errors\/error-request-id$/],
    craft: (form) => ({
      success: (_form, call, result, tookMs) =>
        careful.success(form, { ...call, requestId: call.requestId?.slice(0, 64) }, result, tookMs),
    }),
  }),
  plant({
    name: 'executionTime is in microseconds',
    row: 'execute/execution-time-plausible',
    forms: ['B'],
    craft: (form) => ({
      run: async ({ fn, input }) => {
        await delay(STATEMENT_MS);
        return fn.run(input as never);
      },
      success: (_form, call, result, tookMs) => careful.success(form, call, result, tookMs * 1000),
    }),
  }),
  plant({
    name: 'executionTime has a fraction',
    row: 'execute/execution-time',
    forms: ['B'],
    craft: () => ({
      success: (_form, { requestId }, result, tookMs) => ({
        status: 200,
        body: { requestId, result, executionTime: tookMs + 0.25 },
      }),
    }),
  }),
  plant({
    name: 'the result is text that holds JSON, form A',
    row: 'execute/output-object',
    forms: ['A'],
    craft: () => ({
      success: (_form, _call, result) => ({ status: 200, body: { output: JSON.stringify(result) } }),
    }),
  }),
  plant({
    name: 'the result is text that holds JSON, form B',
    row: 'execute/result-object',
    forms: ['B'],
    craft: () => ({
      success: (_form, { requestId }, result) => ({
        status: 200,
        body: { requestId, result: JSON.stringify(result), executionTime: 0 },
      }),
    }),
  }),
  plant({
    name: 'the list of functions is complete only after the first read',
    row: 'capabilities/stable',
    craft: () => {
      let isLoaded = false;
      return {
        capabilities: (service, form) => {
          const functions = isLoaded ? service.functions : service.functions.slice(0, 2);
          isLoaded = true;
          return careful.capabilities({ ...service, functions }, form);
        },
      };
    },
    // It depends on timing which of the two lists the check uses.
    also: [/^errors\//, /^execute\//],
  }),
];

const BEYOND: readonly PlantedBug[] = [
  plant({
    name: 'the stack of an exception is in the message',
    row: 'security/no-stack-trace',
    functions: withBroken('model not loaded'),
    craft: (form) => ({
      failure: (_form, error, requestId, name) =>
        error instanceof Refused
          ? careful.failure(form, error, requestId, name)
          : {
              status: 500,
              body: { error: { code: 'EXECUTION_ERROR', message: (error as Error).stack }, requestId },
            },
    }),
  }),
  plant({
    name: 'errors show the headers of the request',
    row: 'security/no-secret-echo',
    options: { bearerToken: 'kT7-Zq3_w9XbL0aR5mVd' },
    craft: () => {
      let authorization: string | undefined;
      return {
        admit: ({ headers }) => {
          ({ authorization } = headers);
        },
        failure: async (form, error, requestId, name) => {
          const { status, body } = await careful.failure(form, error, requestId, name);
          return { status, body: { ...(body as Members), debug: { headers: { authorization } } } };
        },
      };
    },
  }),
  plant({
    name: 'an early refusal crashes the error handler',
    row: 'robustness/malformed-json',
    also: [/^robustness\//],
    craft: (form) => ({
      failure: (_form, error, requestId, name) =>
        name === undefined
          ? {
              status: 500,
              body: { error: { code: 'INTERNAL_ERROR', message: 'Cannot read properties of undefined' } },
            }
          : careful.failure(form, error, requestId, name),
    }),
  }),
];

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MAX_DAYS = 7;
const MAX_INT_32 = 2 ** 31 - 1;
const RATES: Readonly<Record<string, number>> = { EUR: 1, USD: 1.1, CHF: 0.94, SEK: 11.2 };

/** Only some of the allowed inputs show them. */
const EDGES: readonly PlantedBug[] = [
  plant({
    name: 'a number has separators from 1,000 on',
    row: 'inputs/result-matches-returns',
    also: [/^execute\/result-matches-returns$/],
    forms: ['B'],
    functions: () => [
      ...textTools(),
      {
        name: 'yardsToFeet',
        description: 'Feet of a number of yards.',
        parameters: object({ yards: number('How many') }),
        returns: object({ feet: number('As many feet.') }),
        run: ({ yards }: { yards: number }) => ({
          feet: yards * 3 < 1000 ? yards * 3 : (yards * 3).toLocaleString('en'),
        }),
      },
    ],
  }),
  plant({
    name: 'a table is one name too short for the last allowed day',
    row: 'inputs/result-matches-returns',
    forms: ['B'],
    functions: () => [
      ...textTools(),
      {
        name: 'forecast',
        description: 'Forecast for a city.',
        parameters: object(
          {
            city: text('City'),
            days: integer('For how many days', { minimum: 1, maximum: MAX_DAYS }),
            hourly: { type: 'boolean', description: 'For each hour too.' },
          },
          ['days', 'hourly'],
        ),
        returns: object({ days: list({ type: 'string' }, 'Names of the days.') }),
        run: ({ days = 3 }: { days?: number }) => ({
          days: Array.from({ length: days }, (_, day) => WEEKDAYS[day]),
        }),
      },
    ],
  }),
  plant({
    name: 'a power fails for negative numbers',
    row: 'inputs/result-matches-returns',
    forms: ['B'],
    functions: () => [
      ...textTools(),
      {
        name: 'cubeRoot',
        description: 'Cube root of a number.',
        parameters: object({ value: number('Any number') }),
        returns: object({ root: number('The root.') }),
        run: ({ value }: { value: number }) => ({ root: value ** (1 / 3) }),
      },
    ],
  }),
  plant({
    name: 'a column of 32 bits is under an id without a maximum',
    row: 'inputs/valid-answered',
    forms: ['B'],
    functions: () => [
      ...textTools(),
      {
        name: 'getSupplier',
        description: 'Returns a supplier.',
        parameters: object({ supplierId: integer('Id of the supplier', { minimum: 1 }) }),
        returns: object({ name: text('Its name.') }),
        run: ({ supplierId }: { supplierId: number }) => {
          if (supplierId > MAX_INT_32) throw new TypeError('integer out of range');
          if (supplierId > 40) throw new Refused('NOT_FOUND', 'There is no such supplier.', 404);
          return { name: `Supplier ${supplierId}` };
        },
      },
    ],
    craft: (form) => ({
      failure: (_form, error, requestId, name) =>
        error instanceof TypeError
          ? { status: 500, body: { error: { code: 'INTERNAL_ERROR', message: 'query failed' }, requestId } }
          : careful.failure(form, error, requestId, name),
    }),
  }),
  plant({
    name: 'one of the listed currencies has no rate',
    row: 'inputs/result-matches-returns',
    forms: ['B'],
    also: [/^execute\/result-matches-returns$/],
    functions: () => [
      ...textTools(),
      {
        name: 'convert',
        description: 'Converts an amount.',
        parameters: object({
          amount: number('How much', { minimum: 0 }),
          from: text('Currency', { enum: ['EUR', 'USD', 'CHF', 'NOK', 'SEK'] }),
          to: text('Currency', { enum: ['EUR', 'USD', 'CHF', 'NOK', 'SEK'] }),
        }),
        returns: object({ amount: number('In the other currency.') }),
        run: ({ amount, from, to }: { amount: number; from: string; to: string }) => ({
          amount: (amount / (RATES[from] ?? Number.NaN)) * (RATES[to] ?? Number.NaN),
        }),
      },
    ],
  }),
];

export const plantedBugs: readonly PlantedBug[] = [
  ...LEAKS,
  ...HEALTH,
  ...ERRORS,
  ...FRAMEWORKS,
  ...EXECUTE,
  ...BEYOND,
  ...EDGES,
];
