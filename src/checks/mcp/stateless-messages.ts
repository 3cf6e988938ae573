import { type Json, ownProperty, showJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { sentJson } from '../../model/sent.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { type Asked, defineCheck } from '../define-check.ts';
import { answersOf, methodOf, type Received, receivedIn, shownBytes } from './received.ts';

// What revision 2026-07-28 asks of messages beyond their schemas; each row looks at all messages of a run.

interface Result {
  readonly method: string;
  readonly result: Json;
  readonly exchangeKey: string;
}

/** The results of requests of the stateless era. */
function resultsIn(asked: readonly Asked[]): readonly Result[] {
  return answersOf(asked).flatMap((exchange): readonly Result[] => {
    const message = answeringMessage(exchange)?.message;
    const method = methodOf(exchange);
    if (message?.kind !== 'result' || method === null || method === 'initialize') return [];
    return [{ method, result: message.result, exchangeKey: exchange.request.key }];
  });
}

export const resultType = defineCheck('step', 'result-type', 'every result has a resultType', ({ asked }) => {
  const results = resultsIn(asked);
  if (results.length === 0) return inapplicable('no request was answered with a result');
  const wrong = results.find(({ result }) => typeof ownProperty(result, 'resultType') !== 'string');
  if (wrong === undefined) return passed;
  return failed({
    message: `the result of ${wrong.method} has no resultType`,
    expected: '"complete" or "input_required"',
    received: showJson(ownProperty(wrong.result, 'resultType')),
    pointer: '/result',
    exchangeKey: wrong.exchangeKey,
  });
});

/** Results that clients may keep. */
const CACHED: ReadonlySet<string> = new Set(['server/discover', 'tools/list']);

export const cacheFields = defineCheck(
  'step',
  'cache-fields',
  'results that clients may keep say for how long, and for whom',
  ({ asked }) => {
    const results = resultsIn(asked).filter(({ method }) => CACHED.has(method));
    if (results.length === 0) return inapplicable('no such request was answered with a result');
    const wrong = results.find(({ result }) => !hasCacheFields(result));
    if (wrong === undefined) return passed;
    const [ttlMs, cacheScope] = ['ttlMs', 'cacheScope'].map((name) => ownProperty(wrong.result, name));
    return failed({
      message: `the result of ${wrong.method} does not say how it may be kept`,
      expected: 'ttlMs, an integer of at least 0, and cacheScope, "public" or "private"',
      received: `ttlMs: ${showJson(ttlMs)}, cacheScope: ${showJson(cacheScope)}`,
      pointer: '/result',
      exchangeKey: wrong.exchangeKey,
    });
  },
);

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
  ({ asked }) => {
    const results = resultsIn(asked).filter(({ method }) => CACHED.has(method));
    if (results.length === 0) return inapplicable('no such request was answered with a result');
    const wrong = results.find(({ result }) => {
      const info = ownProperty(ownProperty(result, '_meta'), 'io.modelcontextprotocol/serverInfo');
      return (
        typeof ownProperty(info, 'name') !== 'string' || typeof ownProperty(info, 'version') !== 'string'
      );
    });
    if (wrong === undefined) return passed;
    return failed({
      message: `the result of ${wrong.method} does not name the server`,
      expected: '_meta with io.modelcontextprotocol/serverInfo, a name and a version',
      received: showJson(ownProperty(wrong.result, '_meta')),
      pointer: '/result',
      exchangeKey: wrong.exchangeKey,
    });
  },
);

export const noServerRequests = defineCheck(
  'step',
  'no-server-requests',
  'the server sends no requests',
  ({ asked, conversations }) => {
    const found = receivedIn(asked, conversations).find(({ read }) => read.message.kind === 'request');
    if (found === undefined) return passed;
    return failed({
      message: 'the server sends a request',
      expected: 'answers and notifications only',
      received: shownBytes(found.read),
      ...placeOf(found),
    });
  },
);

export const noUnaskedLogs = defineCheck(
  'step',
  'no-unasked-logs',
  'no log message is sent for a request that asks for no log level',
  ({ asked, conversations }) => {
    // No request of a check asks for one.
    const found = receivedIn(asked, conversations).find(
      ({ read: { message }, exchange }) =>
        message.kind === 'notification' &&
        message.method === 'notifications/message' &&
        (exchange === null ||
          ownProperty(metaOf(sentJson(exchange.request)), 'io.modelcontextprotocol/logLevel') === undefined),
    );
    if (found === undefined) return passed;
    return failed({
      message: 'the server sends a log message that nobody asked for',
      expected: 'notifications/message only for requests with a log level in _meta',
      received: shownBytes(found.read),
      ...placeOf(found),
    });
  },
);

function metaOf(sent: Json | undefined): Json | undefined {
  return ownProperty(ownProperty(sent, 'params'), '_meta');
}

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
    const errors = receivedIn(asked, conversations).filter(
      ({ read, exchange }) =>
        read.message.kind === 'error' && (exchange === null || methodOf(exchange) !== 'initialize'),
    );
    if (errors.length === 0) return inapplicable('the server sent no error');
    const found = errors.find(
      ({ read: { message } }) => message.kind === 'error' && isForbidden(message.code),
    );
    if (found === undefined) return passed;
    return failed({
      message: 'an error has a code that the protocol reserves',
      expected: 'a code that the protocol defines, or one outside -32020 to -32099, -32002 and -32042',
      received: shownBytes(found.read),
      pointer: '/error/code',
      ...placeOf(found),
    });
  },
);

function isForbidden(code: Json | undefined): boolean {
  if (typeof code !== 'number') return false;
  if (WITHDRAWN.has(code)) return true;
  return code >= FIRST_RESERVED && code <= LAST_RESERVED && !DEFINED.has(code);
}

function placeOf({ exchange }: Received): { readonly exchangeKey?: string } {
  return exchange === null ? {} : { exchangeKey: exchange.request.key };
}
