import { type Json, ownProperty, showJson } from '../../json/json.ts';
import { isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { isLoopback } from '../../text/loopback.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { problemOfServerRequest } from '../../wires/mcp/message-schema.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import {
  type AskedOfClient,
  addressesIn,
  askedOfClient,
  declaredIn,
  declaredWith,
  fieldsOf,
  isForm,
  type Seen,
  shownRequest,
  undeclaredIn,
} from './asked-of-client.ts';
import { conversationOf, methodOf } from './received.ts';

// What a server asks of its client, judged by what the client can show to a person or hand to a model.

type Evidence = Parameters<typeof failed>[0];

/** One finding for requests that are wrong in the same way. */
function judgeRequests(
  requests: readonly AskedOfClient[],
  whenNone: string,
  evidenceOf: (request: AskedOfClient) => Omit<Evidence, 'exchangeKey' | 'isUnasked'> | null,
) {
  if (requests.length === 0) return inapplicable(whenNone);
  const found = requests.flatMap((request): readonly Evidence[] => {
    const evidence = evidenceOf(request);
    if (evidence === null) return [];
    const { exchangeKey, pointer } = request;
    return [{ ...evidence, pointer: pointer + (evidence.pointer ?? ''), exchangeKey }];
  });
  const words = (one: Evidence): string => `${one.message} ${one.expected} ${one.received}`;
  return judgeEach([...new Map(found.map((one) => [words(one), one])).values()], failed);
}

/** What the schema of the revision says of a request. */
function wrongIn(
  { request }: AskedOfClient,
  what: string,
  version: string | null,
  schemas: SchemaEvaluator,
): Omit<Evidence, 'exchangeKey'> | null {
  const problem = problemOfServerRequest(request, version, schemas);
  if (problem === null) return null;
  const { expected, received, pointer } = problem;
  return {
    message: `${what} is not valid by version ${version} of the protocol`,
    expected,
    received,
    pointer,
  };
}

export const formsValid = defineCheck(
  'step',
  'forms-valid',
  'every form has a message, and a flat schema of texts, numbers, booleans and choices',
  ({ opened, schemas, ...seen }) =>
    judgeRequests(askedOfClient(seen).filter(isForm), 'the server asked for no form', (form) =>
      wrongIn(form, 'a form', opened?.version ?? null, schemas),
    ),
  { breaksAlone: true },
);

export const formsWithoutSecrets = defineCheck(
  'step',
  'forms-without-secrets',
  'no form has a field for a password, a key, a token or the number of a card, by its name or its format',
  (seen) =>
    judgeRequests(askedOfClient(seen).filter(isForm), 'the server asked for no form', (form) => {
      const secret = fieldsOf(form).find(([name, field]) => isSecret(name, field));
      if (secret === undefined) return null;
      const [name, field] = secret;
      return {
        message: `a form asks for a secret: ${JSON.stringify(name)}`,
        expected: 'no field for a secret',
        received: showJson({ [name]: field }),
      };
    }),
  { breaksAlone: true },
);

/** Names that mean nothing else, without their separators. A text beside them is not judged. */
const SECRETS: ReadonlySet<string> = new Set([
  ...[
    'password',
    'passwd',
    'passphrase',
    'secret',
    'clientsecret',
    'secretkey',
    'apikey',
    'apitoken',
    'apisecret',
  ],
  ...['accesstoken', 'refreshtoken', 'bearertoken', 'authtoken', 'privatekey'],
  ...['creditcard', 'creditcardnumber', 'cardnumber', 'cvv', 'cvc'],
]);

function isSecret(name: string, field: Json): boolean {
  if (ownProperty(field, 'type') !== 'string') return false;
  // A choice is no secret.
  if (['enum', 'oneOf'].some((keyword) => ownProperty(field, keyword) !== undefined)) return false;
  const plain = name.toLowerCase().replaceAll(/[^a-z\d]/g, '');
  return SECRETS.has(plain) || ownProperty(field, 'format') === 'password';
}

export const addressesValid = defineCheck(
  'step',
  'addresses-valid',
  'every request to open an address has a message and a valid URL; with `secure`, one of https',
  ({ opened, schemas, options, ...seen }) =>
    judgeRequests(addressesIn(seen), 'the server sent nobody to an address', (address) => {
      const given = ownProperty(address.params, 'url');
      const url = typeof given === 'string' ? parseUrl(given) : null;
      const received = showJson(given);
      if (options.secure === true) {
        if (url === null || url.protocol === 'https:' || isLoopback(url.hostname)) return null;
        const message = 'an address that a person is sent to is not one of https';
        return {
          message,
          expected: 'an address that begins with https://',
          received,
          pointer: '/params/url',
        };
      }
      const isOfError = address.pointer.startsWith('/error');
      const wrong = isOfError
        ? null
        : wrongIn(address, 'a request to open an address', opened?.version ?? null, schemas);
      if (wrong !== null || url !== null) return wrong;
      return { message: 'the address that a person is sent to is no URL', expected: 'a valid URL', received };
    }),
  {
    breaksAlone: true,
    options: { secure: { doc: 'true: the address is one of https, or on this machine.', required: false } },
  },
);

export const samplingValid = defineCheck(
  'step',
  'sampling-valid',
  'every request for a model has messages with roles and content, and maxTokens; tool results stand alone',
  ({ opened, schemas, ...seen }) =>
    judgeRequests(
      askedOfClient(seen).filter(({ method }) => method === 'sampling/createMessage'),
      'the server asked for no model',
      (request) => wrongIn(request, 'a request for a model', opened?.version ?? null, schemas),
    ),
  { breaksAlone: true },
);

export const onlyDeclaredAsked = defineCheck(
  'step',
  'only-declared-asked',
  'the server asks the client only for what it declared, and for nothing in a call without capabilities',
  (seen) => {
    const requests = askedOfClient(seen);
    const found = judgeRequests(requests, 'the server asked the client for nothing', (request) => {
      const missing = undeclaredIn(request);
      if (missing === null) return null;
      return {
        message: `the server asks for what the client did not declare: ${request.method}`,
        expected: `no such request without the capability ${missing} of the client`,
        received: shownRequest(request),
      };
    });
    const isDecided = Array.isArray(found) || requests.length === 0;
    return isDecided || wasTriedWithout(seen)
      ? found
      : inapplicable('no call that asked the client could be repeated without its capabilities');
  },
  { breaksAlone: true },
);

/** Whether a tool was called by a client that declared nothing. */
function wasTriedWithout({ asked, exchanges }: Seen): boolean {
  return asked.some(({ exchange }) => {
    if (methodOf(exchange) !== 'tools/call' || !isAnswer(exchange)) return false;
    const declared = declaredWith(exchange) ?? declaredIn(conversationOf(exchange), exchanges);
    return declared !== null && Object.keys(declared).length === 0;
  });
}
