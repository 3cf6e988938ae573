import type { IncomingMessage } from 'node:http';
import { isJsonObject } from '../../src/json/json.ts';
import type { Form } from '../../src/model/requirement.ts';
import type { Mutant, MutantRequest, MutantServer, RawAnswer, TakeOver } from './mutant.ts';
import { cutOff, hangUp, instead, json, never, raw, withCall, withStatus } from './mutations.ts';

/* Servers that mishandle one of the negative steps, which they recognise by the request. */

type Matches = (request: MutantRequest) => boolean;

interface NegativeStep {
  readonly row: string;
  /** Describes the request: "an empty body", before "is accepted". */
  readonly what: string;
  readonly matches: Matches;
  readonly only?: Form;
}

/** A wrong response to a request that must be refused. */
interface WrongResponse {
  readonly does: string;
  readonly answer: () => RawAnswer | TakeOver;
}

const ACCEPTS: WrongResponse = {
  does: 'is accepted',
  answer: () => json(200, { output: {}, result: {}, executionTime: 0 }),
};
const CRASHES: WrongResponse = {
  does: 'ends in status 500',
  answer: () => json(500, { error: { code: 'INTERNAL_ERROR', message: 'It aborted wrong.' } }),
};
const BAD_GATEWAY: WrongResponse = {
  does: 'ends in status 502, as of a proxy',
  answer: () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from('<h1>502</h1>'),
  }),
};
const CLOSES: WrongResponse = { does: 'closes the connection', answer: hangUp };
const HANGS: WrongResponse = { does: 'is never answered', answer: never };

function answeredWith(status: number): WrongResponse {
  return { does: `is answered with status ${status}`, answer: () => json(status, {}) };
}

/** A mutant for each step and response. The first response is tried in each form of the step; the others alternate. */
function mishandling(steps: readonly NegativeStep[], responses: readonly WrongResponse[]): readonly Mutant[] {
  return steps.flatMap(({ row, what, matches, only }, which) =>
    responses.map(({ does, answer }, index): Mutant => {
      const form = index === 0 ? 'both' : (which + index) % 2 === 0 ? 'A' : 'B';
      return {
        row,
        form: only ?? form,
        name: `${what} ${does}`,
        mutate: instead((request) => (matches(request) ? answer() : undefined)),
      };
    }),
  );
}

function isCall({ operation, method }: MutantRequest): boolean {
  return operation === 'execute' && method === 'POST';
}

function bodyIs(text: string): Matches {
  return (request) => isCall(request) && request.body.toString('utf8') === text;
}

function has(bytes: string | Buffer): Matches {
  return (request) => isCall(request) && request.body.includes(bytes);
}

/** A body that is a JSON object with a matching function. */
function functionIs(fits: (name: unknown) => boolean): Matches {
  return (request) => isCall(request) && has('"input"')(request) && fits(request.call.function);
}

function inputOf({ call }: MutantRequest): unknown {
  return call.input ?? call.parameters;
}

function inputIs(fits: (input: unknown) => boolean): Matches {
  return (request) => isCall(request) && fits(inputOf(request));
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';

const isTruncated = bodyIs('{"function": "probity-unknown", "input": {');
const isNotJson = bodyIs('this is not JSON');
const isEmpty = bodyIs('');
const isPlainText: Matches = (request) => isCall(request) && request.contentType === 'text/plain';
const isXml: Matches = (request) => isCall(request) && request.contentType === 'application/xml';
const isNotUtf8 = has(Buffer.of(0xff));
const isDeep = has('['.repeat(1000));
const isLarge: Matches = (request) => request.body.length > 4_000_000;
const isLongName = functionIs((name) => typeof name === 'string' && name.length > 60_000);
const isUnknownPath: Matches = ({ operation }) => operation === 'other';
const isGetExecute: Matches = ({ operation, method }) => operation === 'execute' && method === 'GET';
const isPostHealth: Matches = ({ operation, method }) => operation === 'health' && method === 'POST';
const isReadOfHealth: Matches = ({ operation, method }) => operation === 'health' && method === 'GET';

function announcesMuch({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > 1_000_000;
}

const MALFORMED: readonly NegativeStep[] = [
  { row: 'robustness/malformed-json', what: 'truncated JSON', matches: isTruncated },
  { row: 'robustness/malformed-json', what: 'a text that is not JSON', matches: isNotJson },
];

const NOT_OBJECT: readonly NegativeStep[] = (
  [
    ['null', 'null'],
    ['[]', 'an array'],
    ['"probity-unknown"', 'a string'],
    ['42', 'a number'],
  ] as const
).map(([text, what]) => {
  return { row: 'robustness/non-object-body', what: `a body that is ${what}`, matches: bodyIs(text) };
});

const NO_FUNCTION_NAME: readonly NegativeStep[] = (
  [
    ['null', (name: unknown) => name === null],
    ['a number', isNumber],
    ['an array', Array.isArray],
    ['an object', isJsonObject],
  ] as const
).map(([what, fits]) => {
  return {
    row: 'robustness/function-not-string',
    what: `a function that is ${what}`,
    matches: functionIs(fits),
  };
});

const INPUT_NOT_OBJECT: readonly NegativeStep[] = (['A', 'B'] as const).flatMap((only) =>
  (
    [
      ['an array', Array.isArray],
      ['a text', isText],
      ['a number', isNumber],
    ] as const
  ).map(([what, fits]): NegativeStep => {
    const key = only === 'A' ? 'input' : 'parameters';
    return {
      row: 'robustness/input-not-object',
      what: `${key} that is ${what}`,
      matches: inputIs(fits),
      only,
    };
  }),
);

/** Changes the answer of each read of /health after an event; the first of these is read 1. */
function readsAfter(
  happened: () => boolean,
  answer: (read: number, conforming: RawAnswer) => RawAnswer | TakeOver,
): ReturnType<Mutant['mutate']> {
  let reads = 0;
  return async (request, conform) => {
    const conforming = await conform(request);
    if (!isReadOfHealth(request) || !happened()) return conforming;
    reads += 1;
    return answer(reads, conforming);
  };
}

type EditRead = (read: number, conforming: RawAnswer) => RawAnswer | TakeOver;

/** Breaks /health after a matching request. */
function afterRequest(matches: Matches, edit: EditRead): Mutant['mutate'] {
  return () => {
    let arrived = false;
    const mutation = readsAfter(() => arrived, edit);
    return (request, conform) => {
      arrived ||= matches(request);
      return mutation(request, conform);
    };
  };
}

/** Breaks /health after a client aborted a request. */
function afterAbort(edit: EditRead): Mutant['mutate'] {
  return (server) => {
    let aborted = false;
    watchForAborts(server, () => {
      aborted = true;
    });
    return readsAfter(() => aborted, edit);
  };
}

function watchForAborts(server: MutantServer, then: () => void): void {
  server.beforeBody((incoming) => {
    incoming.once('close', () => {
      if (!incoming.complete) then();
    });
    return false;
  });
}

/** After negative steps /health is read twice for client-abort, and then three times for survives. */
const READS_FOR_CLIENT_ABORT = 2;

function onceBroken(broken: (conforming: RawAnswer) => RawAnswer | TakeOver): EditRead {
  return (read, conforming) => (read === 1 ? broken(conforming) : conforming);
}

function brokenSinceThen(broken: (conforming: RawAnswer) => RawAnswer | TakeOver): EditRead {
  return (read, conforming) => (read > READS_FOR_CLIENT_ABORT ? broken(conforming) : conforming);
}

function inRecord(change: (record: Readonly<Record<string, unknown>>) => unknown) {
  return (answer: RawAnswer): RawAnswer =>
    json(answer.status, change(JSON.parse(answer.body.toString('utf8'))));
}

const HOUR_SECONDS = 3600;

/** Uptime counts from an event, as in a process that a supervisor has restarted after an hour. */
function uptimeSince(
  startedAtMs: () => number | undefined,
  count: (seconds: number) => number = Number,
): ReturnType<Mutant['mutate']> {
  return async (request, conform) => {
    const answer = await conform(request);
    if (!isReadOfHealth(request)) return answer;
    const fromMs = startedAtMs();
    return inRecord((record) => {
      const beforeSeconds = Number(record.uptime) + HOUR_SECONDS;
      const uptime = fromMs === undefined ? beforeSeconds : (performance.now() - fromMs) / 1000;
      return { ...record, uptime: count(uptime) };
    })(answer);
  };
}

function restartedBy(matches: Matches, count?: (seconds: number) => number): Mutant['mutate'] {
  return () => {
    let startedAtMs: number | undefined;
    const mutation = uptimeSince(() => startedAtMs, count);
    return (request, conform) => {
      if (matches(request)) startedAtMs = performance.now();
      return mutation(request, conform);
    };
  };
}

/** A matching request ends the process; nothing restarts it. */
function endedBy(matches: Matches): Mutant['mutate'] {
  return (server) => async (request, conform) =>
    matches(request) ? { takeOver: () => server.stop() } : conform(request);
}

const STOPPED = 'nothing listens at the address' as const;
const DIES = { 'robustness/survives': 'the request ends the process' } as const;

export const robustnessMutants: readonly Mutant[] = [
  ...mishandling(MALFORMED, [ACCEPTS, CRASHES]),
  ...mishandling(MALFORMED.slice(0, 1), [CLOSES, HANGS]),
  {
    row: 'robustness/malformed-json',
    form: 'both',
    name: 'a body that is not JSON is read as an empty object and accepted',
    mutate: instead((request) => (isTruncated(request) || isNotJson(request) ? ACCEPTS.answer() : undefined)),
  },
  {
    row: 'robustness/malformed-json',
    form: 'B',
    name: 'truncated JSON ends the process',
    mutate: endedBy(isTruncated),
    alsoFails: DIES,
  },

  ...mishandling(
    [{ row: 'robustness/empty-body', what: 'an empty body', matches: isEmpty }],
    [ACCEPTS, CRASHES, answeredWith(204), CLOSES, HANGS],
  ),

  ...mishandling(NOT_OBJECT, [ACCEPTS, CRASHES]),
  ...mishandling(NOT_OBJECT.slice(0, 1), [CLOSES, HANGS]),

  ...mishandling(
    [
      {
        row: 'robustness/function-missing',
        what: 'a body without function',
        matches: bodyIs('{"input":{},"parameters":{}}'),
      },
    ],
    [ACCEPTS, CRASHES, answeredWith(202), CLOSES, HANGS],
  ),

  ...mishandling(NO_FUNCTION_NAME, [ACCEPTS, CRASHES]),
  ...mishandling(NO_FUNCTION_NAME.slice(0, 1), [CLOSES, HANGS]),

  ...mishandling(INPUT_NOT_OBJECT, [ACCEPTS]),
  ...mishandling(
    INPUT_NOT_OBJECT.filter((_, index) => index === 0 || index === 4),
    [CLOSES, HANGS],
  ),
  {
    row: 'robustness/input-not-object',
    form: 'A',
    name: 'any input is spread into a new object',
    mutate: () => (request, conform) =>
      conform(
        isJsonObject(request.call.input) || request.call.input === undefined
          ? request
          : withCall(request, { input: { ...Object(request.call.input) } }),
      ),
  },
  {
    row: 'robustness/input-not-object',
    form: 'B',
    name: 'parameters that are not an object count as empty',
    mutate: () => (request, conform) =>
      conform(
        isJsonObject(request.call.parameters) || request.call.parameters === undefined
          ? request
          : withCall(request, { parameters: {} }),
      ),
  },

  ...mishandling(
    [
      { row: 'robustness/wrong-content-type', what: 'a body of text/plain', matches: isPlainText },
      { row: 'robustness/wrong-content-type', what: 'a body of XML', matches: isXml },
    ],
    [CRASHES, BAD_GATEWAY, CLOSES],
  ),

  ...mishandling(
    [{ row: 'robustness/invalid-utf8', what: 'a body that is not UTF-8', matches: isNotUtf8 }],
    [CRASHES, BAD_GATEWAY, answeredWith(503), CLOSES, HANGS],
  ),
  {
    row: 'robustness/invalid-utf8',
    form: 'A',
    name: 'a body that is not UTF-8 ends the process',
    mutate: endedBy(isNotUtf8),
    alsoFails: DIES,
    leavesOpen: { 'robustness/deep-nesting': STOPPED },
  },

  ...mishandling(
    [{ row: 'robustness/deep-nesting', what: 'a deep input', matches: isDeep }],
    [CRASHES, answeredWith(500), answeredWith(503), BAD_GATEWAY],
  ),
  ...mishandling([{ row: 'robustness/deep-nesting', what: 'a deep input', matches: isDeep }], [CLOSES]),
  ...mishandling([{ row: 'robustness/deep-nesting', what: 'a deep input', matches: isDeep }], [HANGS]),
  {
    row: 'robustness/deep-nesting',
    form: 'A',
    name: 'a deep input is answered with EXECUTION_ERROR and status 503',
    mutate: instead((request) =>
      isDeep(request) ? json(503, { error: { code: 'EXECUTION_ERROR', message: 'Too deep.' } }) : undefined,
    ),
  },
  {
    row: 'robustness/deep-nesting',
    form: 'B',
    name: 'a deep input ends the process, as by a stack overflow',
    mutate: endedBy(isDeep),
    alsoFails: DIES,
    leavesOpen: { 'robustness/large-body': STOPPED },
  },

  ...mishandling([{ row: 'robustness/large-body', what: 'a large body', matches: isLarge }], [HANGS]),
  {
    row: 'robustness/large-body',
    form: 'A',
    name: 'a large body is not read, and the sender waits',
    mutate: (server) => {
      server.beforeBody(announcesMuch);
      return (request, conform) => conform(request);
    },
  },
  {
    row: 'robustness/large-body',
    form: 'B',
    name: 'only the beginning of a large body is read',
    mutate: (server) => {
      server.beforeBody((incoming) => {
        if (!announcesMuch(incoming)) return false;
        incoming.once('data', () => incoming.pause());
        return true;
      });
      return (request, conform) => conform(request);
    },
  },
  {
    row: 'robustness/large-body',
    form: 'B',
    name: 'the answer to a large body never ends',
    mutate: raw(isLarge, (answer) => cutOff(answer, 'silence')),
  },
  {
    row: 'robustness/large-body',
    form: 'A',
    name: 'a large body is answered with something other than HTTP',
    mutate: instead((request) =>
      isLarge(request)
        ? { takeOver: ({ socket }) => void socket?.end('the request is too large\r\n') }
        : undefined,
    ),
  },

  ...mishandling(
    [{ row: 'robustness/long-name', what: 'a long name', matches: isLongName }],
    [ACCEPTS, CRASHES, CLOSES, HANGS],
  ),

  ...mishandling(
    [{ row: 'robustness/unknown-path', what: 'a path outside the contract', matches: isUnknownPath }],
    [ACCEPTS, CRASHES, answeredWith(302), answeredWith(400), CLOSES],
  ),
  {
    row: 'robustness/unknown-path',
    form: 'B',
    name: 'a path outside the contract leads to the page of an application',
    mutate: instead((request) =>
      isUnknownPath(request)
        ? {
            status: 200,
            headers: { 'content-type': 'text/html' },
            body: Buffer.from('<!doctype html><title>App</title>'),
          }
        : undefined,
    ),
  },

  ...mishandling(
    [
      { row: 'robustness/wrong-method', what: 'GET /execute', matches: isGetExecute },
      { row: 'robustness/wrong-method', what: 'POST /health', matches: isPostHealth },
    ],
    [ACCEPTS, CRASHES, answeredWith(501)],
  ),
  {
    row: 'robustness/wrong-method',
    form: 'A',
    name: 'POST /health is a read like any other',
    mutate: () => (request, conform) =>
      conform(isPostHealth(request) ? { ...request, method: 'GET' } : request),
  },
  ...mishandling([{ row: 'robustness/wrong-method', what: 'GET /execute', matches: isGetExecute }], [HANGS]),

  {
    row: 'robustness/client-abort',
    form: 'both',
    name: 'an aborted request leaves status 503 for the next one',
    mutate: afterAbort(onceBroken(withStatus(503))),
  },
  {
    row: 'robustness/client-abort',
    form: 'A',
    name: 'an aborted request leaves its error for the next one',
    mutate: afterAbort(onceBroken(() => CRASHES.answer())),
  },
  {
    row: 'robustness/client-abort',
    form: 'B',
    name: 'an aborted request closes the connection of the next one',
    mutate: afterAbort(onceBroken(() => hangUp())),
  },
  {
    row: 'robustness/client-abort',
    form: 'both',
    name: 'an aborted request keeps the next one waiting',
    mutate: afterAbort(onceBroken(() => never())),
  },
  {
    row: 'robustness/client-abort',
    form: 'A',
    name: 'an aborted request keeps all others waiting',
    mutate: afterAbort(() => never()),
    alsoFails: { 'robustness/survives': 'no request is answered any longer' },
  },
  {
    row: 'robustness/client-abort',
    form: 'both',
    fault: 'network',
    name: 'an aborted request ends the process',
    mutate: (server) => {
      watchForAborts(server, server.stop);
      return (request, conform) => conform(request);
    },
    alsoFails: { 'robustness/survives': 'the process ends with the aborted request' },
  },

  ...(
    [
      ['degraded', isTruncated],
      ['starting', isDeep],
      ['OK', isLarge],
      ['', isLongName],
      [null, isGetExecute],
    ] as const
  ).map(([status, matches], index): Mutant => {
    return {
      row: 'robustness/survives',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `status is ${JSON.stringify(status)} after negative steps`,
      mutate: afterRequest(matches, (_read, answer) => inRecord((record) => ({ ...record, status }))(answer)),
    };
  }),
  {
    row: 'robustness/survives',
    form: 'B',
    name: 'status is missing after negative steps',
    mutate: afterRequest(isNotUtf8, (_read, answer) =>
      inRecord(({ status: _status, ...record }) => record)(answer),
    ),
  },
  {
    row: 'robustness/survives',
    form: 'A',
    name: '/health is a page of HTML after negative steps',
    mutate: afterRequest(isXml, (_read, answer) => ({ ...answer, body: Buffer.from('<h1>OK</h1>') })),
  },
  ...[500, 503, 404, 302].map((status, index): Mutant => {
    return {
      row: 'robustness/survives',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `/health is answered with status ${status} some time after negative steps`,
      mutate: afterRequest(isTruncated, brokenSinceThen(withStatus(status))),
    };
  }),
  ...[3, 4, 5].map((bad, index): Mutant => {
    return {
      row: 'robustness/survives',
      form: index % 2 === 0 ? 'A' : 'B',
      name: `one of several workers is broken after negative steps: read ${bad} of /health`,
      mutate: afterRequest(isDeep, (read, answer) => (read === bad ? CRASHES.answer() : answer)),
    };
  }),
  {
    row: 'robustness/survives',
    form: 'both',
    name: '/health is never answered some time after negative steps',
    mutate: afterRequest(
      isTruncated,
      brokenSinceThen(() => never()),
    ),
  },
  {
    row: 'robustness/survives',
    form: 'A',
    name: '/health closes the connection some time after negative steps',
    mutate: afterRequest(
      isTruncated,
      brokenSinceThen(() => hangUp()),
    ),
  },
  {
    row: 'robustness/survives',
    form: 'both',
    fault: 'network',
    name: 'the server stops listening some time after negative steps',
    mutate: (server) =>
      afterRequest(isTruncated, (read, answer) =>
        read < READS_FOR_CLIENT_ABORT
          ? answer
          : {
              takeOver: (response) =>
                void response.writeHead(answer.status, answer.headers).end(answer.body, server.stop),
            },
      )(server),
  },
  ...(
    [
      ['truncated JSON', isTruncated],
      ['a deep input', isDeep],
      ['a large body', isLarge],
      ['a path outside the contract', isUnknownPath],
    ] as const
  ).map(([what, matches], index): Mutant => {
    return {
      row: 'robustness/survives',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `${what} restarts the process, and uptime starts again`,
      mutate: restartedBy(matches),
    };
  }),
  {
    row: 'robustness/survives',
    form: 'both',
    name: 'an aborted request restarts the process, and uptime starts again',
    mutate: (server) => {
      let startedAtMs: number | undefined;
      watchForAborts(server, () => {
        startedAtMs = performance.now();
      });
      return uptimeSince(() => startedAtMs);
    },
  },
  {
    row: 'robustness/survives',
    form: 'A',
    name: 'the process restarts, and uptime counts whole seconds',
    mutate: restartedBy(isEmpty, Math.floor),
  },
];
