import { type AnsweredExchange, headerValue } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import type { Opened } from '../../model/wire.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { bearerIn, challengesIn, refusalsIn } from '../../wires/mcp/authorization.ts';
import { judgedVersion } from '../../wires/mcp/opening.ts';
import { defineCheck, judgeFirst } from '../define-check.ts';
import { metadataOf, RESOURCE, textsIn } from './metadata.ts';

const NO_REFUSAL = 'the server refuses no request with 401';

/** The challenges of an answer as it sent them. */
function said({ response }: AnsweredExchange): string {
  return headerValue(response.headers, 'www-authenticate') ?? 'no WWW-Authenticate';
}

export const challengeGiven = defineCheck(
  'step',
  'challenge-given',
  'each message that is refused with 401 is answered with a valid challenge',
  ({ exchanges }) =>
    judgeFirst(
      refusalsIn(exchanges),
      NO_REFUSAL,
      ({ response }) => {
        const { challenges, problem } = challengesIn(response.headers);
        return challenges.length === 0 || problem !== null;
      },
      (exchange) => ({
        message: `a refusal with 401 has no valid challenge: ${problemOf(exchange)}`,
        expected: 'WWW-Authenticate with at least one challenge, such as Bearer realm="mcp"',
        received: said(exchange),
        exchangeKey: exchange.request.key,
      }),
    ),
  { breaksAlone: true },
);

function problemOf({ response }: AnsweredExchange): string {
  if (headerValue(response.headers, 'www-authenticate') === undefined) return 'the header is missing';
  return challengesIn(response.headers).problem ?? 'it names no scheme';
}

/** What newer revisions ask for is no mistake of a server whose revision is unknown, because it opened nothing. */
export function ifKnown(opened: Opened | null, finding: ReturnType<typeof failed>): Finding {
  if (opened !== null) return finding;
  const { outcome: _, ...evidence } = finding;
  return undecided({
    ...evidence,
    because: 'not-exercised',
    advice:
      'Not every revision asks for this. Give a token with --bearer-env: then it is known which one the server speaks.',
  });
}

export const scopeChallenged = defineCheck(
  'step',
  'scope-challenged',
  'a challenge names the scopes that the request needs, if the server has scopes',
  ({ exchanges, asked, opened }) => {
    const refusals = refusalsIn(exchanges).filter(({ response }) => bearerIn(response.headers) !== undefined);
    const [first] = refusals;
    if (first === undefined)
      return inapplicable('no request is refused with 401 and a challenge of the scheme Bearer');
    if (refusals.some(({ response }) => bearerIn(response.headers)?.parameters.has('scope') === true))
      return passed;
    const supported = textsIn(metadataOf(asked, RESOURCE).value?.scopes_supported);
    if (supported.length === 0) return inapplicable('the server names no scopes');
    return ifKnown(
      opened,
      failed({
        message: 'the challenge does not name the scopes that the request needs',
        expected: 'a parameter `scope` in WWW-Authenticate',
        received: said(first),
        exchangeKey: first.request.key,
      }),
    );
  },
);

export const offlineAccess = defineCheck(
  'step',
  'no-offline-access',
  'neither a challenge nor the metadata of the resource name the scope `offline_access`',
  ({ exchanges, asked, opened }) => {
    const scopes = refusalsIn(exchanges).map((exchange) => ({
      exchange,
      scopes: bearerIn(exchange.response.headers)?.parameters.get('scope')?.split(' ') ?? [],
    }));
    const { exchange, value } = metadataOf(asked, RESOURCE);
    const all = [
      ...scopes,
      ...(exchange === null ? [] : [{ exchange, scopes: textsIn(value?.scopes_supported) }]),
    ];
    const found = all.find((one) => one.scopes.includes('offline_access'));
    if (found !== undefined)
      return ifKnown(
        opened,
        failed({
          message: 'the server asks for the scope offline_access, which it does not need itself',
          expected: 'only scopes that give access to the server',
          received: found.scopes.join(' '),
          exchangeKey: found.exchange.request.key,
        }),
      );
    return all.some((one) => one.scopes.length > 0) ? passed : inapplicable('the server names no scopes');
  },
);

/** The status that belongs to an error of the scheme Bearer (RFC 6750, section 3.1). */
const STATUS_OF: ReadonlyMap<string | undefined, number> = new Map([
  ['invalid_request', 400],
  ['invalid_token', 401],
  ['insufficient_scope', 403],
]);

export const challengeAgrees = defineCheck(
  'step',
  'challenge-agrees',
  'the status of a refusal is that of the error in its challenge, and one for lack of a scope names the scope',
  ({ exchanges, opened }) => {
    // By RFC 6750 alone, the scope is optional.
    const namesScope = opened !== null && judgedVersion(opened) >= '2025-11-25';
    const refusals = exchanges.flatMap((exchange) => {
      if (exchange.kind !== 'answered' || !isMessage(exchange)) return [];
      const parameters = bearerIn(exchange.response.headers)?.parameters;
      const status = STATUS_OF.get(parameters?.get('error'));
      return status === undefined
        ? []
        : [{ exchange, status, lacksScope: namesScope && status === 403 && !parameters?.has('scope') }];
    });
    return judgeFirst(
      refusals,
      'no refusal has a challenge of the scheme Bearer with an error',
      ({ exchange, status, lacksScope }) => exchange.response.status !== status || lacksScope,
      ({ exchange, status, lacksScope }) => ({
        message:
          exchange.response.status === status && lacksScope
            ? 'a refusal for lack of a scope does not name the scope'
            : 'the status of a refusal contradicts the error in its challenge',
        expected: `status ${status}${lacksScope ? ', and a parameter `scope`' : ''}`,
        received: `status ${exchange.response.status}, ${said(exchange)}`,
        exchangeKey: exchange.request.key,
      }),
    );
  },
);
