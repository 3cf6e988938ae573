import type { Form } from '../../src/model/requirement.ts';
import { brokenBodies, wrongContentTypes } from './broken-answers.ts';
import type { Mutant, MutantCall, MutantRequest, RawAnswer } from './mutant.ts';
import {
  cutOff,
  hangUp,
  inDescriptor,
  inReturns,
  inServed,
  instead,
  json,
  never,
  raw,
  type Served,
  served,
  servedCallOf,
  together,
  withCall,
  withStatus,
} from './mutations.ts';

function output(change: (output: Readonly<Record<string, unknown>>) => unknown): Mutant['mutate'] {
  return inServed((answer) => ({ ...answer, output: change(answer.output ?? {}) }));
}

function result(change: (result: Readonly<Record<string, unknown>>) => unknown): Mutant['mutate'] {
  return inServed((answer) => ({ ...answer, result: change(answer.result ?? {}) }));
}

function sum(change: (sum: unknown) => unknown): Mutant['mutate'] {
  return inServed(
    (answer) => ({ ...answer, result: { sum: change(answer.result?.sum) } }),
    servedCallOf('add'),
  );
}

function executionTime(measure: (ms: number) => unknown): Mutant['mutate'] {
  return inServed((answer) => ({ ...answer, executionTime: measure(answer.executionTime ?? 0) }));
}

function requestId(change: (id: string) => unknown): Mutant['mutate'] {
  return inServed((answer) => {
    return answer.requestId === undefined ? answer : { ...answer, requestId: change(answer.requestId) };
  });
}

function isCall({ operation }: MutantRequest): boolean {
  return operation === 'execute';
}

/** More than the first calls of a function. */
const FIRST_CALLS = 4;

/** Breaks only what comes after the first calls of each function. */
function later(breaking: Mutant['mutate']): Mutant['mutate'] {
  return (server) => {
    const calls = new Map<unknown, number>();
    const broken = breaking(server);
    return (request, conform) => {
      const name = request.call.function;
      calls.set(name, (calls.get(name) ?? 0) + 1);
      return isCall(request) && (calls.get(name) ?? 0) > FIRST_CALLS
        ? broken(request, conform)
        : conform(request);
    };
  };
}

function refusal(status: number, code: string, request: MutantRequest): RawAnswer {
  return json(status, {
    error: { code, message: 'The call is refused.' },
    requestId: request.call.requestId,
  });
}

/** What a router answers where it has no route. */
function page(status: number): RawAnswer {
  return { status, headers: { 'content-type': 'text/html' }, body: Buffer.from('<h1>Not found</h1>') };
}

const NOTHING_AT_EXECUTE = {
  'errors/unknown-function-rejected': 'no call is answered, including those of unknown functions',
  'errors/handler-failure-status': 'no call is answered, including those that fail',
} as const;
const NOTHING_AT_EXECUTE_B = {
  ...NOTHING_AT_EXECUTE,
  'errors/missing-required': 'no call is answered, including those without a parameter',
  'errors/wrong-type': 'no call is answered, including those with a wrong type',
} as const;

/** The check makes several calls at a time, so any row that judges an answer may get a mixed-up one. */
const MIXED_UP = /^(execute|errors)\//;

/** How long a call waits for concurrent calls; calls that are sent together arrive much sooner. */
const MAX_WAIT_MS = 800;

/** Lets calls pass in groups of `size`, so that they overlap on any machine. A single call passes after a while. */
function groupsOf(size: number): () => Promise<void> {
  const waiting = new Set<() => void>();
  return () =>
    new Promise((resolve) => {
      const pass = (): void => {
        waiting.delete(pass);
        resolve();
      };
      waiting.add(pass);
      if (waiting.size >= size) for (const each of [...waiting]) each();
      else setTimeout(() => setImmediate(pass), MAX_WAIT_MS);
    });
}

function servedIn(answer: RawAnswer): Served {
  return JSON.parse(answer.body.toString('utf8')) as Served;
}

function valuesMixedUpAbove(maxCalls: number): Mutant['mutate'] {
  return () => {
    const pass = groupsOf(maxCalls + 1);
    const inFlight: RawAnswer[] = [];
    return async (request, conform) => {
      const answer = await conform(request);
      if (!served(request, answer)) return answer;
      inFlight.push(answer);
      const [first = answer] = inFlight;
      const source = inFlight.length > maxCalls ? first : answer;
      await pass();
      inFlight.splice(inFlight.indexOf(answer), 1);
      const { requestId: id, executionTime: tookMs } = servedIn(answer);
      return json(200, { ...servedIn(source), requestId: id, executionTime: tookMs });
    };
  };
}

/** Adds a function that stores a note, and keeps its input in a variable while the note is being stored. */
function notesMixedUp(form: Form): Mutant['mutate'] {
  return () => {
    const pass = groupsOf(2);
    let current: unknown;
    let count = 0;
    const descriptor = {
      name: 'createNote',
      description: 'Creates a note.',
      examples: [{ input: { text: 'Buy milk' } }],
      ...(form === 'A' ? { inputs: ['text'], outputs: ['noteId', 'text'] } : NOTE_IN_FORM_B),
    };
    return async (request, conform) => {
      if (request.operation === 'capabilities') {
        const answer = JSON.parse((await conform(request)).body.toString()) as { functions: object[] };
        return json(200, { ...answer, functions: [...answer.functions, descriptor] });
      }
      const { function: name, requestId: id } = request.call;
      const input = (form === 'A' ? request.call.input : request.call.parameters) as {
        text?: unknown;
      } | null;
      if (name !== 'createNote' || typeof input?.text !== 'string') return conform(request);
      current = input.text;
      await pass();
      count += 1;
      const note = { noteId: `note-${count}`, text: current };
      return json(200, form === 'A' ? { output: note } : { requestId: id, result: note, executionTime: 0 });
    };
  };
}

const NOTE_IN_FORM_B = {
  parameters: {
    type: 'object',
    properties: { text: { type: 'string', description: 'Text of the note' } },
    required: ['text'],
  },
  returns: {
    type: 'object',
    properties: {
      noteId: { type: 'string', description: 'Identifier' },
      text: { type: 'string', description: 'Text of the note' },
    },
    required: ['noteId', 'text'],
  },
};

export const executeMutants: readonly Mutant[] = [
  {
    row: 'execute/reachable',
    form: 'A',
    name: '/execute closes every connection',
    mutate: instead((request) => (isCall(request) ? hangUp() : undefined)),
    alsoFails: NOTHING_AT_EXECUTE,
  },
  {
    row: 'execute/reachable',
    form: 'B',
    name: '/execute closes every connection',
    mutate: instead((request) => (isCall(request) ? hangUp() : undefined)),
    alsoFails: NOTHING_AT_EXECUTE_B,
  },
  {
    row: 'execute/reachable',
    form: 'both',
    name: 'one function never answers',
    mutate: raw(servedCallOf('greet'), () => never()),
  },
  {
    row: 'execute/reachable',
    form: 'A',
    name: 'no function ever answers',
    mutate: raw(served, () => never()),
  },
  {
    row: 'execute/reachable',
    form: 'B',
    name: 'the body of an answer is shorter than its Content-Length',
    mutate: raw(servedCallOf('add'), (answer) => cutOff(answer, 'hang-up')),
  },
  {
    row: 'execute/reachable',
    form: 'A',
    name: 'the body of an answer never ends',
    mutate: raw(servedCallOf('add'), (answer) => cutOff(answer, 'silence')),
  },

  ...[201, 202, 204, 404, 500].map((status, index): Mutant => {
    return {
      row: 'execute/status-200',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `valid calls are answered with status ${status}`,
      mutate: raw(served, withStatus(status)),
      ...(status === 500
        ? { alsoFails: { 'errors/error-body': 'an answer of that status must describe an error' } }
        : {}),
    };
  }),
  ...([404, 405, 501] as const).flatMap((status): readonly Mutant[] => [
    {
      row: 'execute/status-200',
      form: 'both',
      name: `nothing handles a POST: each is answered with status ${status} and an error`,
      mutate: instead(({ method, path }) =>
        method === 'POST'
          ? json(status, { error: { code: 'NOT_FOUND', message: `Cannot ${method} ${path}` } })
          : undefined,
      ),
    },
    {
      row: 'execute/status-200',
      form: 'both',
      name: `nothing handles a POST: each is answered with status ${status} and a page`,
      mutate: instead(({ method }) => (method === 'POST' ? page(status) : undefined)),
    },
  ]),
  {
    row: 'execute/status-200',
    form: 'both',
    name: 'a listed function fails',
    mutate: raw(servedCallOf('greet'), (_answer, request) => refusal(500, 'EXECUTION_ERROR', request)),
  },
  {
    row: 'execute/status-200',
    form: 'both',
    name: 'a listed function is not registered',
    mutate: raw(servedCallOf('greet'), (_answer, request) => refusal(400, 'FUNCTION_NOT_FOUND', request)),
  },
  {
    row: 'execute/status-200',
    form: 'both',
    name: 'the input that the configuration gives is refused',
    mutate: raw(servedCallOf('divide'), (_answer, request) => refusal(400, 'INVALID_INPUT', request)),
  },

  ...wrongContentTypes('execute/content-type', served),
  ...brokenBodies('execute/json-object', served),

  ...(
    [
      ['a string', (values) => JSON.stringify(values)],
      ['a list', (values) => Object.values(values)],
      ['null', () => null],
      ['a bare value', (values) => Object.values(values)[0]],
      ['missing', () => undefined],
    ] satisfies [string, (values: Readonly<Record<string, unknown>>) => unknown][]
  ).flatMap(([what, change]): readonly Mutant[] => [
    { row: 'execute/output-object', form: 'A', name: `output is ${what}`, mutate: output(change) },
    { row: 'execute/result-object', form: 'B', name: `result is ${what}`, mutate: result(change) },
  ]),
  {
    row: 'execute/output-object',
    form: 'A',
    name: 'the values are at the top level',
    mutate: inServed((answer) => answer.output),
  },
  {
    row: 'execute/output-object',
    form: 'A',
    name: 'output is called result',
    mutate: inServed((answer) => ({ result: answer.output })),
  },
  {
    row: 'execute/result-object',
    form: 'B',
    name: 'the values are at the top level',
    mutate: inServed(({ result: values, ...answer }) => ({ ...answer, ...values })),
  },
  {
    row: 'execute/result-object',
    form: 'B',
    name: 'result is called output',
    mutate: inServed(({ result: values, ...answer }) => ({ ...answer, output: values })),
  },

  {
    row: 'execute/outputs-declared',
    form: 'A',
    name: 'output lacks a declared key',
    mutate: inServed(() => ({ output: {} }), servedCallOf('add')),
  },
  {
    row: 'execute/outputs-declared',
    form: 'A',
    name: 'output has an undeclared key',
    mutate: output((values) => ({ ...values, debug: true })),
  },
  {
    row: 'execute/outputs-declared',
    form: 'A',
    name: 'a key of output is in another case',
    mutate: inServed(({ output: values }) => ({ output: { Sum: values?.sum } }), servedCallOf('add')),
  },

  ...[
    ['a key of result is misspelt', { smu: 3 }],
    ['a key of result is in another case', { Sum: 3 }],
    ['a key of result has another name, and there is an extra key', { total: 3, debug: true }],
  ].map(
    ([what, values]): Mutant => ({
      row: 'execute/result-keys-declared',
      form: 'B',
      name: `${what}, and returns requires none`,
      mutate: together(
        inReturns('add', ({ required: _required, ...schema }) => schema),
        inServed((answer) => ({ ...answer, result: values }), servedCallOf('add')),
      ),
    }),
  ),

  { row: 'execute/result-matches-returns', form: 'B', name: 'a number is a string', mutate: sum(String) },
  {
    row: 'execute/result-matches-returns',
    form: 'B',
    name: 'a number is null',
    mutate: sum(() => null),
  },
  {
    row: 'execute/result-matches-returns',
    form: 'B',
    name: 'a number is a list',
    mutate: sum((n) => [n]),
  },
  {
    row: 'execute/result-matches-returns',
    form: 'B',
    name: 'a number is not finite: 1e999',
    mutate: raw(servedCallOf('add'), (answer) => ({
      ...answer,
      body: Buffer.from(answer.body.toString('utf8').replace(/"sum":[^}]+/, '"sum":1e999')),
    })),
  },
  {
    row: 'execute/result-matches-returns',
    form: 'B',
    name: 'an integer has a fraction',
    mutate: inServed(
      (answer) => ({ ...answer, result: { ...answer.result, totalCents: 1949.5 } }),
      servedCallOf('price-order'),
    ),
  },

  {
    row: 'execute/execution-time',
    form: 'B',
    name: 'executionTime has a fraction',
    mutate: executionTime((ms) => ms + 0.7),
  },
  {
    row: 'execute/execution-time',
    form: 'B',
    name: 'executionTime is negative',
    mutate: executionTime((ms) => -1 - ms),
  },
  {
    row: 'execute/execution-time',
    form: 'B',
    name: 'executionTime is a string',
    mutate: executionTime(String),
  },
  {
    row: 'execute/execution-time',
    form: 'B',
    name: 'executionTime has a unit',
    mutate: executionTime((ms) => `${ms}ms`),
  },
  {
    row: 'execute/execution-time',
    form: 'B',
    name: 'executionTime is null',
    mutate: executionTime(() => null),
  },
  {
    row: 'execute/execution-time',
    form: 'B',
    name: 'executionTime is missing',
    mutate: executionTime(() => undefined),
  },
  {
    row: 'execute/execution-time',
    form: 'B',
    name: 'executionTime is called duration',
    mutate: inServed(({ executionTime: duration, ...answer }) => ({ ...answer, duration })),
  },

  {
    row: 'execute/execution-time-plausible',
    form: 'B',
    name: 'executionTime is in microseconds',
    mutate: executionTime((ms) => ms * 1000),
  },
  {
    row: 'execute/execution-time-plausible',
    form: 'B',
    name: 'executionTime is in nanoseconds',
    mutate: executionTime((ms) => ms * 1_000_000 + 12_345),
  },
  {
    row: 'execute/execution-time-plausible',
    form: 'B',
    name: 'executionTime counts from the start of the process',
    mutate: executionTime((ms) => ms + 3_600_000),
  },
  {
    row: 'execute/execution-time-plausible',
    form: 'B',
    name: 'executionTime is the time of day',
    mutate: executionTime(() => Date.now()),
  },

  ...(
    [
      ['is missing', () => undefined],
      ['is null', () => null],
      ['is generated by the server', () => '7c0f6a1e-6f0c-4a53-9d0e-6d0b7d6f7a10'],
      ['is cut off after 64 characters', (id) => id.slice(0, 64)],
      ['is cut off after 255 characters', (id) => id.slice(0, 255)],
      ['is lower-cased', (id) => id.toLowerCase()],
      ['is trimmed', (id) => id.trim()],
      ['is normalised to composed characters', (id) => id.normalize('NFC')],
      ['is normalised to decomposed characters', (id) => id.normalize('NFD')],
      ['has question marks for non-ASCII characters', (id) => id.replace(/[^\0-\x7f]/g, '?')],
      ['is UTF-8 that was read as Latin-1', (id) => Buffer.from(id, 'utf8').toString('latin1')],
      ['lacks characters outside the basic plane', (id) => id.replace(/[\u{10000}-\u{10ffff}]/gu, '')],
      ['lacks control characters', (id) => id.replace(/\p{Cc}/gu, '')],
      ['lacks line separators', (id) => id.replace(/[\u2028\u2029]/g, '')],
      ['is escaped for HTML', (id) => id.replaceAll('"', '&quot;')],
      ['has its backslashes doubled', (id) => id.replaceAll('\\', '\\\\')],
      ['has a space for every run of white space', (id) => id.replace(/\s+/g, ' ')],
      ['is wrapped in an object', (id) => ({ id })],
    ] satisfies [string, (id: string) => unknown][]
  ).map(([what, change]): Mutant => {
    return {
      row: 'execute/request-id-echo',
      form: 'B',
      name: `requestId ${what}`,
      mutate: requestId(change),
    };
  }),
  {
    row: 'execute/request-id-echo',
    form: 'B',
    name: 'a long requestId is refused',
    mutate: instead((request) =>
      String(request.call.requestId).length > 200 ? refusal(400, 'INVALID_REQUEST', request) : undefined,
    ),
  },

  {
    row: 'execute/request-id-optional',
    form: 'B',
    name: 'a call without requestId is refused',
    mutate: instead((request) =>
      isCall(request) && request.call.requestId === undefined
        ? refusal(400, 'INVALID_REQUEST', request)
        : undefined,
    ),
  },
  {
    row: 'execute/request-id-optional',
    form: 'B',
    name: 'a call without requestId ends in a crash of the handler',
    mutate: instead((request) =>
      isCall(request) && request.call.requestId === undefined
        ? refusal(500, 'EXECUTION_ERROR', request)
        : undefined,
    ),
  },
  {
    row: 'execute/request-id-optional',
    form: 'B',
    name: 'a call without requestId is never answered',
    mutate: instead((request) =>
      isCall(request) && request.call.requestId === undefined ? never() : undefined,
    ),
  },

  {
    row: 'execute/parameters-default',
    form: 'B',
    name: 'omitted parameters are refused',
    mutate: instead((request) =>
      isCall(request) && request.call.parameters === undefined
        ? refusal(400, 'INVALID_INPUT', request)
        : undefined,
    ),
  },
  {
    row: 'execute/parameters-default',
    form: 'B',
    name: 'omitted parameters end in a crash of the handler',
    mutate: instead((request) =>
      isCall(request) && request.call.parameters === undefined
        ? refusal(500, 'EXECUTION_ERROR', request)
        : undefined,
    ),
  },

  {
    row: 'execute/concurrent-isolation',
    form: 'both',
    name: 'with more than three concurrent calls, one gets the values of another',
    mutate: valuesMixedUpAbove(3),
    mayFail: MIXED_UP,
  },
  ...(['A', 'B'] as const).map(
    (form): Mutant => ({
      row: 'execute/concurrent-isolation',
      form,
      name: 'a handler that creates something keeps its input in a variable',
      mutate: notesMixedUp(form),
    }),
  ),
  {
    row: 'execute/concurrent-isolation',
    form: 'B',
    name: 'a handler keeps the requestId of its caller in a variable',
    mutate: () => {
      const pass = groupsOf(2);
      let shared: unknown;
      return async (request, conform) => {
        const answer = await conform(request);
        if (!servedCallOf('greet')(request, answer)) return answer;
        shared = request.call.requestId;
        await pass();
        return json(200, { ...servedIn(answer), requestId: shared });
      };
    },
    alsoFails: { 'execute/request-id-echo': 'it is the requestId of another call' },
  },
  {
    row: 'execute/concurrent-isolation',
    form: 'both',
    name: 'a handler keeps its input in a variable',
    mutate: together(
      inDescriptor('greet', (descriptor) => ({ ...descriptor, examples: undefined })),
      () => {
        const pass = groupsOf(2);
        let shared: Pick<MutantCall, 'input' | 'parameters'>;
        return async (request, conform) => {
          const answer = await conform(request);
          if (!servedCallOf('greet')(request, answer)) return answer;
          const { input, parameters } = request.call;
          shared = input === undefined ? { parameters } : { input };
          await pass();
          return conform(withCall(request, shared));
        };
      },
    ),
    alsoFails: { 'documentation/examples': 'only a generated input can differ each time' },
  },
  {
    row: 'execute/concurrent-isolation',
    form: 'both',
    name: 'the server keeps the whole call in a variable',
    mutate: () => {
      const pass = groupsOf(2);
      let shared: MutantCall;
      return async (request, conform) => {
        if (!isCall(request)) return conform(request);
        shared = request.call;
        await pass();
        return conform(withCall(request, shared));
      };
    },
    mayFail: MIXED_UP,
  },
  {
    row: 'execute/concurrent-isolation',
    form: 'B',
    name: 'the server keeps the requestId in a variable',
    mutate: () => {
      const pass = groupsOf(2);
      let shared: unknown;
      return async (request, conform) => {
        if (!isCall(request)) return conform(request);
        shared = request.call.requestId;
        await pass();
        return conform(withCall(request, { requestId: shared }));
      };
    },
    mayFail: MIXED_UP,
  },

  ...[401, 403, 400, 500].map((status, index): Mutant => {
    return {
      row: 'execute/authorization-tolerated',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `a call with an Authorization header is answered with status ${status}`,
      mutate: instead((request) =>
        isCall(request) && request.authorization !== undefined
          ? refusal(status, 'UNAUTHORIZED', request)
          : undefined,
      ),
    };
  }),
  {
    row: 'execute/authorization-tolerated',
    form: 'B',
    name: 'a call with an Authorization header closes the connection',
    mutate: instead((request) =>
      isCall(request) && request.authorization !== undefined ? hangUp() : undefined,
    ),
  },

  {
    row: 'execute/output-object',
    form: 'A',
    name: 'later answers have null for output',
    mutate: later(output(() => null)),
  },
  {
    row: 'execute/outputs-declared',
    form: 'A',
    name: 'later answers have an undeclared key',
    mutate: later(output((declared) => ({ ...declared, extra: 1 }))),
  },
  {
    row: 'execute/result-object',
    form: 'B',
    name: 'later answers have null for result',
    mutate: later(result(() => null)),
    alsoFails: {
      'execute/request-id-optional': 'the answer to a call without requestId is one of the later ones',
      'execute/parameters-default': 'so is the answer to a call without parameters',
    },
  },
  {
    row: 'execute/execution-time',
    form: 'B',
    name: 'later answers have a text for executionTime',
    mutate: later(executionTime((ms) => `${ms}ms`)),
  },
  {
    row: 'execute/request-id-echo',
    form: 'B',
    name: 'later answers have another requestId',
    mutate: later(requestId(() => 'another')),
  },
];
