import { type Json, ownProperty } from '../../json/json.ts';
import { type AnsweredExchange, type Header, headerValue } from '../../model/exchange.ts';
import { failed, passed } from '../../model/judgement.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { sentJson } from '../../model/sent.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { type Asked, cannotJudge, defineCheck } from '../define-check.ts';

/** The operations of the contract (specification, section 4.2). */
export const OPERATIONS = ['health', 'capabilities', 'execute'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Whether an operation answers requests without a key. `mixed`: only some of its functions do. */
export type Access = 'open' | 'needs a key' | 'mixed' | 'unknown';

export const accessTold = defineCheck(
  'step',
  'access-told',
  'it is clear which operations need a key: none refuses a request and accepts the same one at another time',
  ({ asked, targetUrl, givenHeaders }) => {
    const anonymous = anonymousAnswers(asked, targetUrl, givenHeaders);
    if (anonymous.length === 0) return cannotJudge('no-answer');
    const accepted = (one: AnonymousAnswer) =>
      anonymous.find((other) => other.request === one.request && isAccepted(other));
    const refused = anonymous.find((one) => isRefused(one) && accepted(one) !== undefined);
    if (refused === undefined) return passed;
    return failed({
      message: `/${refused.operation} refused a request without a key and accepted the same one at another time`,
      expected: 'the same answer each time',
      received: `status ${refused.exchange.response.status} and status ${accepted(refused)?.exchange.response.status}`,
      exchangeKey: refused.exchange.request.key,
    });
  },
  { reasons: { 'no-answer': 'no request without a key was answered' } },
);

export function accessOf(
  operation: Operation,
  asked: readonly Asked[],
  targetUrl: string,
  givenHeaders: readonly string[],
): Access {
  const own = anonymousAnswers(asked, targetUrl, givenHeaders).filter((one) => one.operation === operation);
  const refused = own.some(isRefused);
  if (own.some(isAccepted)) return refused ? 'mixed' : 'open';
  if (refused) return 'needs a key';
  return own.length > 0 ? 'open' : 'unknown';
}

/** The default values of headers that a user may override. */
const DEFAULT_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ['accept', /^application\/json$/],
  ['accept-encoding', /^identity$/],
  ['content-type', /^application\/json$/],
  ['user-agent', /^probity\/\S+ \(conformance check\)$/],
]);

interface AnonymousAnswer {
  readonly operation: Operation;
  /** Equal for requests with the same content. */
  readonly request: string;
  readonly exchange: AnsweredExchange;
}

/** Answers to requests of the contract that carried no key, without those of a rate limiter. */
function anonymousAnswers(
  asked: readonly Asked[],
  targetUrl: string,
  givenHeaders: readonly string[],
): readonly AnonymousAnswer[] {
  const keys = new Set(['authorization', ...givenHeaders.map((name) => name.toLowerCase())]);
  const isKey = ([name, value]: Header): boolean => {
    const lowerName = name.toLowerCase();
    return keys.has(lowerName) && DEFAULT_VALUES.get(lowerName)?.test(value) !== true;
  };
  return asked.flatMap(({ exchange, call }): readonly AnonymousAnswer[] => {
    if (exchange.kind !== 'answered' || exchange.response.status === TOO_MANY_REQUESTS) return [];
    const { method, url, headers } = exchange.request;
    if (headers.some(isKey)) return [];
    if (isMessage(exchange)) return anonymousMessage(exchange);
    const operation = OPERATIONS.find((name) => url === `${targetUrl}/${name}`);
    if (operation === undefined || (operation === 'execute' ? call === null : method !== 'GET')) return [];
    const request = call === null ? operation : JSON.stringify([operation, call.functionName, call.input]);
    return [{ operation, request, exchange }];
  });
}

const OF_METHODS: ReadonlyMap<Json | undefined, Operation> = new Map([
  ['ping', 'health'],
  ['server/discover', 'health'],
  ['tools/list', 'capabilities'],
  ['tools/call', 'execute'],
]);

function anonymousMessage(exchange: AnsweredExchange): readonly AnonymousAnswer[] {
  // A page of another site, and who asks for another host, may be refused.
  if (['origin', 'host'].some((name) => headerValue(exchange.request.headers, name) !== undefined)) return [];
  const sent = sentJson(exchange.request);
  const operation = OF_METHODS.get(ownProperty(sent, 'method'));
  if (operation === undefined) return [];
  const params = ownProperty(sent, 'params');
  const call = ['name', 'arguments'].map((member) => ownProperty(params, member) ?? null);
  return [{ operation, request: JSON.stringify([operation, ...call]), exchange }];
}

function isRefused({ exchange }: AnonymousAnswer): boolean {
  return exchange.response.status === 401 || exchange.response.status === 403;
}

function isAccepted({ exchange }: AnonymousAnswer): boolean {
  return exchange.response.status < 300;
}
