import { isJsonObject, type Json, ownProperty, showJson } from '../../json/json.ts';
import type { Answer } from '../../model/exchange.ts';
import { failed, passed } from '../../model/judgement.ts';
import { sentJson } from '../../model/sent.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { CAPABILITY_OF, MAY_ASK } from '../../wires/mcp/client-answers.ts';
import { type Asked, defineCheck, judgeFirst } from '../define-check.ts';
import { answersOf, methodOf, receivedWithoutSessions, shownBytes } from './received.ts';

// What revision 2026-07-28 asks of messages beyond their schemas; each row looks at all messages of a run.

type Result = ReturnType<typeof resultsIn>[number];

/** The results of requests of the stateless era. */
function resultsIn(asked: readonly Asked[]) {
  return answersOf(asked).flatMap((exchange) => {
    const message = answeringMessage(exchange)?.message;
    const method = methodOf(exchange);
    if (message?.kind !== 'result' || method === null || method === 'initialize') return [];
    return [{ method, result: message.result, exchangeKey: exchange.request.key }];
  });
}

export const resultType = defineCheck(
  'step',
  'result-type',
  'every result has a resultType',
  ({ asked }) =>
    judgeFirst(
      resultsIn(asked),
      'no request was answered with a result',
      ({ result }) => typeof ownProperty(result, 'resultType') !== 'string',
      ({ method, result, exchangeKey }) => ({
        message: `the result of ${method} has no resultType`,
        expected: '"complete" or "input_required"',
        received: showJson(ownProperty(result, 'resultType')),
        pointer: '/result',
        exchangeKey,
      }),
    ),
  { breaksAlone: true },
);

/** What a server may ask for while it works on a request. */
const ASKED_BACK: ReadonlySet<unknown> = new Set(Object.keys(CAPABILITY_OF));

export const inputRequired = defineCheck(
  'step',
  'input-required',
  'a result that asks for more input is one of a method that may ask, and says what it needs',
  ({ asked }) => {
    const asking = resultsIn(asked).filter(
      ({ result }) => ownProperty(result, 'resultType') === 'input_required',
    );
    return judgeFirst(
      asking,
      'no result asks for more input',
      (one) => inputProblem(one) !== null,
      (one) => ({
        message: `the result of ${one.method} asks for more input in a way that no client can answer`,
        expected: inputProblem(one) ?? '',
        received: showJson(one.result),
        pointer: '/result',
        exchangeKey: one.exchangeKey,
      }),
    );
  },
  { breaksAlone: true },
);

/** What should be there instead. */
function inputProblem({ method, result }: Result): string | null {
  if (!MAY_ASK.has(method)) return `a complete result: only ${[...MAY_ASK].join(', ')} may ask for input`;
  const requests = ownProperty(result, 'inputRequests');
  if (requests === undefined && ownProperty(result, 'requestState') === undefined)
    return 'inputRequests, requestState, or both';
  if (requests === undefined) return null;
  const methods = isJsonObject(requests)
    ? Object.values(requests).map((one) => ownProperty(one, 'method'))
    : [null];
  if (methods.some((one) => !ASKED_BACK.has(one)))
    return `requests of ${[...ASKED_BACK].join(', ')}, by name`;
  return null;
}

/** Results that clients may keep. */
function cachedIn(asked: readonly Asked[], cached: ReadonlySet<string>): readonly Result[] {
  return resultsIn(asked).filter(({ method }) => cached.has(method));
}

const FIRST_READ: ReadonlySet<string> = new Set(['server/discover', 'tools/list']);
const CACHED: ReadonlySet<string> = new Set([
  ...FIRST_READ,
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

const NONE_CACHED = 'no such request was answered with a result';

export const cacheFields = defineCheck(
  'step',
  'cache-fields',
  'results that clients may keep say for how long, and for whom',
  ({ asked }) =>
    judgeFirst(
      cachedIn(asked, CACHED),
      NONE_CACHED,
      ({ result }) => !isUnfinished(result) && !hasCacheFields(result),
      ({ method, result, exchangeKey }) => ({
        message: `the result of ${method} does not say how it may be kept`,
        expected: 'ttlMs, an integer of at least 0, and cacheScope, "public" or "private"',
        received: `ttlMs: ${showJson(ownProperty(result, 'ttlMs'))}, cacheScope: ${showJson(ownProperty(result, 'cacheScope'))}`,
        pointer: '/result',
        exchangeKey,
      }),
    ),
  { breaksAlone: true },
);

/** A request for input is no answer to keep. */
function isUnfinished(result: Json): boolean {
  return ownProperty(result, 'resultType') === 'input_required';
}

function hasCacheFields(result: Json): boolean {
  const [ttlMs, cacheScope] = [ownProperty(result, 'ttlMs'), ownProperty(result, 'cacheScope')];
  return (
    typeof ttlMs === 'number' &&
    Number.isInteger(ttlMs) &&
    ttlMs >= 0 &&
    (cacheScope === 'public' || cacheScope === 'private')
  );
}

export const serverIdentified = defineCheck(
  'step',
  'server-identified',
  'the results of server/discover and tools/list name the server in _meta',
  ({ asked }) =>
    judgeFirst(
      cachedIn(asked, FIRST_READ),
      NONE_CACHED,
      ({ result }) => {
        const info = ownProperty(ownProperty(result, '_meta'), 'io.modelcontextprotocol/serverInfo');
        return ['name', 'version'].some((member) => typeof ownProperty(info, member) !== 'string');
      },
      ({ method, result, exchangeKey }) => ({
        message: `the result of ${method} does not name the server`,
        expected: '_meta with io.modelcontextprotocol/serverInfo, a name and a version',
        received: showJson(ownProperty(result, '_meta')),
        pointer: '/result',
        exchangeKey,
      }),
    ),
);

export const noServerRequests = defineCheck(
  'step',
  'no-server-requests',
  'the server sends no requests',
  ({ asked, conversations }) => {
    const found = receivedWithoutSessions(asked, conversations).find(
      ({ read }) => read.message.kind === 'request',
    );
    if (found === undefined) return passed;
    return failed({
      message: 'the server sends a request',
      expected: 'answers and notifications only',
      received: shownBytes(found.read),
      exchangeKey: found.exchange?.request.key,
    });
  },
);

export const noUnaskedLogs = defineCheck(
  'step',
  'no-unasked-logs',
  'no log message is sent for a request that asks for no log level',
  ({ asked, conversations }) => {
    // No request of a check asks for one.
    const asksForLogs = (exchange: Answer | null): boolean => {
      const params = exchange && ownProperty(sentJson(exchange.request), 'params');
      const level = ownProperty(ownProperty(params, '_meta'), 'io.modelcontextprotocol/logLevel');
      return level !== undefined;
    };
    const found = receivedWithoutSessions(asked, conversations).find(
      ({ read: { message }, exchange }) =>
        message.kind === 'notification' &&
        message.method === 'notifications/message' &&
        !asksForLogs(exchange),
    );
    if (found === undefined) return passed;
    return failed({
      message: 'the server sends a log message that nobody asked for',
      expected: 'notifications/message only for requests with a log level in _meta',
      received: shownBytes(found.read),
      exchangeKey: found.exchange?.request.key,
    });
  },
);

/** What the protocol defines of the codes that it reserves. */
const DEFINED: ReadonlySet<number> = new Set([-32_020, -32_021, -32_022]);
const FIRST_RESERVED = -32_099;
const LAST_RESERVED = -32_020;
/** Codes of earlier revisions. */
const WITHDRAWN: ReadonlySet<number> = new Set([-32_002, -32_042]);

export const errorCodes = defineCheck(
  'step',
  'error-codes',
  'no error has a code that the protocol reserves and does not define',
  ({ asked, conversations }) => {
    const errors = receivedWithoutSessions(asked, conversations).filter(
      ({ read, exchange }) =>
        read.message.kind === 'error' && (exchange === null || methodOf(exchange) !== 'initialize'),
    );
    return judgeFirst(
      errors,
      'the server sent no error',
      ({ read: { message } }) => message.kind === 'error' && isForbidden(message.code),
      ({ read, exchange }) => ({
        message: 'an error has a code that the protocol reserves',
        expected: 'a code that the protocol defines, or one outside -32020 to -32099, -32002 and -32042',
        received: shownBytes(read),
        pointer: '/error/code',
        exchangeKey: exchange?.request.key,
      }),
    );
  },
);

function isForbidden(code: Json | undefined): boolean {
  if (typeof code !== 'number') return false;
  if (WITHDRAWN.has(code)) return true;
  return code >= FIRST_RESERVED && code <= LAST_RESERVED && !DEFINED.has(code);
}
