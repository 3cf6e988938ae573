import { type AnsweredExchange, type Exchange, headerValue, isSuccess } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { messageMethod } from '../../model/sent.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { namedMetadata } from '../../wires/mcp/authorization.ts';
import { defineCheck } from '../define-check.ts';
import { describeAnswer } from '../json/answers.ts';
import { documentIn, isPassing } from './metadata.ts';

/** Whether a message carried nothing that gives access, and could not be refused for another reason. */
function isAnonymous(exchange: Exchange, givenHeaders: readonly string[]): exchange is AnsweredExchange {
  if (exchange.kind !== 'answered' || !isMessage(exchange)) return false;
  const { headers } = exchange.request;
  const names = ['authorization', 'origin', ...givenHeaders.map((name) => name.toLowerCase())];
  return names.every((name) => headerValue(headers, name) === undefined);
}

/** Whether a server lets clients find out by the rules of the protocol where they get a token. */
function followsProtocol(exchanges: readonly Exchange[]): boolean {
  if (namedMetadata(exchanges) !== null) return true;
  return exchanges.some(
    (one) => !isMessage(one) && Object.hasOwn(documentIn(one) ?? {}, 'authorization_servers'),
  );
}

const OF_OTHERS = 'the server refuses it otherwise, and does not follow the authorization of the protocol';

const isClosed = ({ response: { status } }: AnsweredExchange): boolean => status === 401 || status === 403;

/** Whether some message was refused, as far as it shows because it carried nothing that gives access. */
export function wantsKey(exchanges: readonly Exchange[], givenHeaders: readonly string[]): boolean {
  return exchanges.some((one) => isAnonymous(one, givenHeaders) && isClosed(one));
}

export const tokenRefused = defineCheck(
  'step',
  'token-refused',
  'a token that gives no access is refused with 401, by a server that refuses the same request without a token',
  ({ asked, exchanges, givenHeaders, options }): Finding => {
    const [exchange] = asked.map((one) => one.exchange);
    if (exchange === undefined) return inapplicable('no request was sent with this token');
    const method = messageMethod(exchange.request);
    const anonymous = exchanges.filter(
      (one): one is AnsweredExchange =>
        isAnonymous(one, givenHeaders) && messageMethod(one.request) === method,
    );
    if (!anonymous.some(isClosed))
      return inapplicable(
        anonymous.length > 0
          ? 'the server answers the same request without a token'
          : 'it is not known whether the server wants a token',
      );
    const expected = 'status 401';
    const words = String(options.token ?? 'such a token');
    if (exchange.kind !== 'answered' || isPassing(exchange))
      return undecided({
        because: 'not-exercised',
        message: `it is not known what the server does with ${words}`,
        expected,
        received: exchange.kind === 'answered' ? describeAnswer(exchange) : 'no answer',
        exchangeKey: exchange.request.key,
      });
    const { status } = exchange.response;
    if (status === 401) return passed;
    if (!isSuccess(status) && !followsProtocol(exchanges)) return inapplicable(OF_OTHERS);
    return failed({
      message: isSuccess(status)
        ? `the server accepts ${words}`
        : `the server refuses ${words}, and does not say that the token is why`,
      expected,
      received: describeAnswer(exchange),
      exchangeKey: exchange.request.key,
    });
  },
  { options: { token: { doc: 'What the token is, in the words of a finding.', required: true } } },
);

export const unauthorizedStatus = defineCheck(
  'step',
  'unauthorized-status',
  'a request that is refused for lack of a token is refused with 401',
  ({ asked, exchanges, givenHeaders }): Finding => {
    const anonymous = asked.map(({ exchange }) => exchange).find((one) => isAnonymous(one, givenHeaders));
    if (anonymous === undefined || anonymous.kind !== 'answered')
      return inapplicable('no request without a token was answered');
    if (isSuccess(anonymous.response.status))
      return inapplicable('the server answers requests without a token');
    if (anonymous.response.status === 401) return passed;
    const method = messageMethod(anonymous.request);
    const isServed = exchanges.some(
      (one) =>
        one.kind === 'answered' &&
        headerValue(one.request.headers, 'authorization') !== undefined &&
        messageMethod(one.request) === method &&
        isSuccess(one.response.status),
    );
    if (!isServed || isPassing(anonymous))
      return inapplicable('it is not known whether a token is what is missing');
    if (!followsProtocol(exchanges)) return inapplicable(OF_OTHERS);
    return failed({
      message: 'the server refuses a request without a token as if a token did not help',
      expected: 'status 401',
      received: describeAnswer(anonymous),
      exchangeKey: anonymous.request.key,
    });
  },
);
