import type { IncomingMessage } from 'node:http';
import { isJsonObject } from '../../src/model/json.ts';
import type { Form } from '../../src/model/requirement.ts';
import type { Mutant, MutantRequest, MutantServer, RawAnswer, TakeOver } from './mutant.ts';
import { cutOff, hangUp, instead, json, never, raw, withCall, withStatus } from './mutations.ts';

/* Requests that no client should send, told from each other by what was sent, and servers that stumble over just one. */

type Tells = (request: MutantRequest) => boolean;

interface NegativeStep {
  readonly row: string;
  /** The request, in words that fit before "is served". */
  readonly what: string;
  readonly tells: Tells;
  readonly only?: Form;
}

/** What a server does with a request that it should refuse. */
interface Stumble {
  readonly does: string;
  readonly answer: () => RawAnswer | TakeOver;
}

const SERVED: Stumble = {
  does: 'is served',
  answer: () => json(200, { output: {}, result: {}, executionTime: 0 }),
};
const CRASHES: Stumble = {
  does: 'ends in status 500',
  answer: () => json(500, { error: { code: 'INTERNAL_ERROR', message: 'It went wrong.' } }),
};
const BAD_GATEWAY: Stumble = {
  does: 'ends in status 502, as a proxy says it',
  answer: () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from('<h1>502</h1>'),
  }),
};
const BREAKS_OFF: Stumble = { does: 'breaks the connection off', answer: hangUp };
const HANGS: Stumble = { does: 'is never answered', answer: never };

function answeredWith(status: number): Stumble {
  return { does: `is answered with status ${status}`, answer: () => json(status, {}) };
}

/** The first way to stumble is tried in each form to which the step applies, the others take turns. */
function stumbling(steps: readonly NegativeStep[], ways: readonly Stumble[]): readonly Mutant[] {
  return steps.flatMap(({ row, what, tells, only }, which) =>
    ways.map(({ does, answer }, index): Mutant => {
      const form = index === 0 ? 'both' : (which + index) % 2 === 0 ? 'A' : 'B';
      return {
        row,
        form: only ?? form,
        name: `${what} ${does}`,
        mutate: instead((request) => (tells(request) ? answer() : undefined)),
      };
    }),
  );
}

function isCall({ operation, method }: MutantRequest): boolean {
  return operation === 'execute' && method === 'POST';
}

function bodyIs(text: string): Tells {
  return (request) => isCall(request) && request.body.toString('utf8') === text;
}

function has(bytes: string | Buffer): Tells {
  return (request) => isCall(request) && request.body.includes(bytes);
}

/** A body that is a JSON object, whose function is of this kind. */
function functionIs(fits: (name: unknown) => boolean): Tells {
  return (request) => isCall(request) && has('"input"')(request) && fits(request.call.function);
}

function inputOf({ call }: MutantRequest): unknown {
  return call.input ?? call.parameters;
}

function inputIs(fits: (input: unknown) => boolean): Tells {
  return (request) => isCall(request) && fits(inputOf(request));
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';

const isCutShort = bodyIs('{"function": "probity-unknown", "input": {');
const isWords = bodyIs('this is not JSON');
const isEmpty = bodyIs('');
const isPlainText: Tells = (request) => isCall(request) && request.contentType === 'text/plain';
const isXml: Tells = (request) => isCall(request) && request.contentType === 'application/xml';
const isNotUtf8 = has(Buffer.of(0xff));
const isDeep = has('['.repeat(1000));
const isLarge: Tells = (request) => request.body.length > 4_000_000;
const isLongName = functionIs((name) => typeof name === 'string' && name.length > 60_000);
const isUnknownPath: Tells = ({ operation }) => operation === 'other';
const isGetExecute: Tells = ({ operation, method }) => operation === 'execute' && method === 'GET';
const isPostHealth: Tells = ({ operation, method }) => operation === 'health' && method === 'POST';
const isReadOfHealth: Tells = ({ operation, method }) => operation === 'health' && method === 'GET';

function announcesMuch({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > 1_000_000;
}

const MALFORMED: readonly NegativeStep[] = [
  { row: 'robustness/malformed-json', what: 'JSON that is cut short', tells: isCutShort },
  { row: 'robustness/malformed-json', what: 'a text that is not JSON', tells: isWords },
];

const NO_OBJECT: readonly NegativeStep[] = (
  [
    ['null', 'null'],
    ['[]', 'an array'],
    ['"probity-unknown"', 'a string'],
    ['42', 'a number'],
  ] as const
).map(([text, what]) => {
  return { row: 'robustness/non-object-body', what: `a body that is ${what}`, tells: bodyIs(text) };
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
    tells: functionIs(fits),
  };
});

const NO_INPUT: readonly NegativeStep[] = (['A', 'B'] as const).flatMap((only) =>
  (
    [
      ['an array', Array.isArray],
      ['a text', isText],
      ['a number', isNumber],
    ] as const
  ).map(([what, fits]): NegativeStep => {
    const key = only === 'A' ? 'input' : 'parameters';
    return { row: 'robustness/input-not-object', what: `${key} that is ${what}`, tells: inputIs(fits), only };
  }),
);

/** Answers each read of /health after an event otherwise; the first of them is read 1. */
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

/** Whatever is wrong shows in /health, once such a request has come. */
function afterRequest(tells: Tells, edit: EditRead): Mutant['mutate'] {
  return () => {
    let came = false;
    const mutation = readsAfter(() => came, edit);
    return (request, conform) => {
      came ||= tells(request);
      return mutation(request, conform);
    };
  };
}

/** The same, once a client has gone away in the middle of a request. */
function afterAbort(edit: EditRead): Mutant['mutate'] {
  return (server) => {
    let went = false;
    watchForAborts(server, () => {
      went = true;
    });
    return readsAfter(() => went, edit);
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

/** Uptime counts from an event, as in a process that a supervisor has started again after an hour. */
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

function restartedBy(tells: Tells, count?: (seconds: number) => number): Mutant['mutate'] {
  return () => {
    let startedAtMs: number | undefined;
    const mutation = uptimeSince(() => startedAtMs, count);
    return (request, conform) => {
      if (tells(request)) startedAtMs = performance.now();
      return mutation(request, conform);
    };
  };
}

/** The process ends at such a request; nothing starts it again. */
function endedBy(tells: Tells): Mutant['mutate'] {
  return (server) => async (request, conform) =>
    tells(request) ? { takeOver: () => server.stop() } : conform(request);
}

const GONE = 'nothing listens any more' as const;
const DIES = { 'robustness/survives': 'the request ends the process' } as const;

export const robustnessMutants: readonly Mutant[] = [
  ...stumbling(MALFORMED, [SERVED, CRASHES]),
  ...stumbling(MALFORMED.slice(0, 1), [BREAKS_OFF, HANGS]),
  {
    row: 'robustness/malformed-json',
    form: 'both',
    name: 'what is not JSON is taken for an empty object, and a function that does nothing runs',
    mutate: instead((request) => (isCutShort(request) || isWords(request) ? SERVED.answer() : undefined)),
  },
  {
    row: 'robustness/malformed-json',
    form: 'B',
    name: 'JSON that is cut short ends the process',
    mutate: endedBy(isCutShort),
    alsoFails: DIES,
  },

  ...stumbling(
    [{ row: 'robustness/empty-body', what: 'an empty body', tells: isEmpty }],
    [SERVED, CRASHES, answeredWith(204), BREAKS_OFF, HANGS],
  ),

  ...stumbling(NO_OBJECT, [SERVED, CRASHES]),
  ...stumbling(NO_OBJECT.slice(0, 1), [BREAKS_OFF, HANGS]),

  ...stumbling(
    [
      {
        row: 'robustness/function-missing',
        what: 'a body without function',
        tells: bodyIs('{"input":{},"parameters":{}}'),
      },
    ],
    [SERVED, CRASHES, answeredWith(202), BREAKS_OFF, HANGS],
  ),

  ...stumbling(NO_FUNCTION_NAME, [SERVED, CRASHES]),
  ...stumbling(NO_FUNCTION_NAME.slice(0, 1), [BREAKS_OFF, HANGS]),

  ...stumbling(NO_INPUT, [SERVED]),
  ...stumbling(
    NO_INPUT.filter((_, index) => index === 0 || index === 4),
    [BREAKS_OFF, HANGS],
  ),
  {
    row: 'robustness/input-not-object',
    form: 'A',
    name: 'input is spread into a new object, whatever it is',
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
    name: 'parameters that are no object count as none',
    mutate: () => (request, conform) =>
      conform(
        isJsonObject(request.call.parameters) || request.call.parameters === undefined
          ? request
          : withCall(request, { parameters: {} }),
      ),
  },

  ...stumbling(
    [
      { row: 'robustness/wrong-content-type', what: 'a body of text/plain', tells: isPlainText },
      { row: 'robustness/wrong-content-type', what: 'a body of XML', tells: isXml },
    ],
    [CRASHES, BAD_GATEWAY, BREAKS_OFF],
  ),

  ...stumbling(
    [{ row: 'robustness/invalid-utf8', what: 'a body that is not UTF-8', tells: isNotUtf8 }],
    [CRASHES, BAD_GATEWAY, answeredWith(503), BREAKS_OFF, HANGS],
  ),
  {
    row: 'robustness/invalid-utf8',
    form: 'A',
    name: 'a body that is not UTF-8 ends the process',
    mutate: endedBy(isNotUtf8),
    alsoFails: DIES,
    leavesOpen: { 'robustness/deep-nesting': GONE },
  },

  ...stumbling(
    [{ row: 'robustness/deep-nesting', what: 'a deep input', tells: isDeep }],
    [CRASHES, answeredWith(500), answeredWith(503), BAD_GATEWAY],
  ),
  ...stumbling([{ row: 'robustness/deep-nesting', what: 'a deep input', tells: isDeep }], [BREAKS_OFF]),
  ...stumbling([{ row: 'robustness/deep-nesting', what: 'a deep input', tells: isDeep }], [HANGS]),
  {
    row: 'robustness/deep-nesting',
    form: 'A',
    name: 'a deep input is declared a failure, but with status 503',
    mutate: instead((request) =>
      isDeep(request) ? json(503, { error: { code: 'EXECUTION_ERROR', message: 'Too deep.' } }) : undefined,
    ),
  },
  {
    row: 'robustness/deep-nesting',
    form: 'B',
    name: 'a deep input ends the process, as a stack overflow does',
    mutate: endedBy(isDeep),
    alsoFails: DIES,
    leavesOpen: { 'robustness/large-body': GONE },
  },

  ...stumbling([{ row: 'robustness/large-body', what: 'a large body', tells: isLarge }], [HANGS]),
  {
    row: 'robustness/large-body',
    form: 'A',
    name: 'a large body is left unread, and the sender waits',
    mutate: (server) => {
      server.beforeBody(announcesMuch);
      return (request, conform) => conform(request);
    },
  },
  {
    row: 'robustness/large-body',
    form: 'B',
    name: 'a large body is read for a while, and then no more of it',
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

  ...stumbling(
    [{ row: 'robustness/long-name', what: 'a long name', tells: isLongName }],
    [SERVED, CRASHES, BREAKS_OFF, HANGS],
  ),

  ...stumbling(
    [{ row: 'robustness/unknown-path', what: 'a path outside the contract', tells: isUnknownPath }],
    [SERVED, CRASHES, answeredWith(302), answeredWith(400), BREAKS_OFF],
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

  ...stumbling(
    [
      { row: 'robustness/wrong-method', what: 'GET /execute', tells: isGetExecute },
      { row: 'robustness/wrong-method', what: 'POST /health', tells: isPostHealth },
    ],
    [SERVED, CRASHES, answeredWith(501)],
  ),
  {
    row: 'robustness/wrong-method',
    form: 'A',
    name: 'POST /health is a read like any other',
    mutate: () => (request, conform) =>
      conform(isPostHealth(request) ? { ...request, method: 'GET' } : request),
  },
  ...stumbling([{ row: 'robustness/wrong-method', what: 'GET /execute', tells: isGetExecute }], [HANGS]),

  {
    row: 'robustness/client-abort',
    form: 'both',
    name: 'a client that goes away leaves status 503 to the next one',
    mutate: afterAbort(onceBroken(withStatus(503))),
  },
  {
    row: 'robustness/client-abort',
    form: 'A',
    name: 'a client that goes away leaves its error to the next one',
    mutate: afterAbort(onceBroken(() => CRASHES.answer())),
  },
  {
    row: 'robustness/client-abort',
    form: 'B',
    name: 'a client that goes away breaks off the connection of the next one',
    mutate: afterAbort(onceBroken(() => hangUp())),
  },
  {
    row: 'robustness/client-abort',
    form: 'both',
    name: 'a client that goes away keeps the next one waiting',
    mutate: afterAbort(onceBroken(() => never())),
  },
  {
    row: 'robustness/client-abort',
    form: 'A',
    name: 'a client that goes away keeps all others waiting',
    mutate: afterAbort(() => never()),
    alsoFails: { 'robustness/survives': 'nobody is served any more' },
  },
  {
    row: 'robustness/client-abort',
    form: 'both',
    fault: 'network',
    name: 'a client that goes away ends the process',
    mutate: (server) => {
      watchForAborts(server, server.stop);
      return (request, conform) => conform(request);
    },
    alsoFails: { 'robustness/survives': 'the process ends as the client goes away' },
  },

  ...(
    [
      ['degraded', isCutShort],
      ['starting', isDeep],
      ['OK', isLarge],
      ['', isLongName],
      [null, isGetExecute],
    ] as const
  ).map(([status, tells], index): Mutant => {
    return {
      row: 'robustness/survives',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `status is ${JSON.stringify(status)} after negative steps`,
      mutate: afterRequest(tells, (_read, answer) => inRecord((record) => ({ ...record, status }))(answer)),
    };
  }),
  {
    row: 'robustness/survives',
    form: 'B',
    name: 'status is gone after negative steps',
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
      mutate: afterRequest(isCutShort, brokenSinceThen(withStatus(status))),
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
      isCutShort,
      brokenSinceThen(() => never()),
    ),
  },
  {
    row: 'robustness/survives',
    form: 'A',
    name: '/health breaks the connection off some time after negative steps',
    mutate: afterRequest(
      isCutShort,
      brokenSinceThen(() => hangUp()),
    ),
  },
  {
    row: 'robustness/survives',
    form: 'both',
    fault: 'network',
    name: 'nothing listens any more some time after negative steps',
    mutate: (server) =>
      afterRequest(isCutShort, (read, answer) =>
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
      ['JSON that is cut short', isCutShort],
      ['a deep input', isDeep],
      ['a large body', isLarge],
      ['a path outside the contract', isUnknownPath],
    ] as const
  ).map(([what, tells], index): Mutant => {
    return {
      row: 'robustness/survives',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `${what} makes the process start again: uptime counts from there`,
      mutate: restartedBy(tells),
    };
  }),
  {
    row: 'robustness/survives',
    form: 'both',
    name: 'a client that goes away makes the process start again: uptime counts from there',
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
    name: 'the process starts again, and uptime counts whole seconds',
    mutate: restartedBy(isEmpty, Math.floor),
  },
];
