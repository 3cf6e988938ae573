import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import { type AnsweredExchange, type Exchange, isAnswer } from '../../model/exchange.ts';
import { type Finding, undecided } from '../../model/judgement.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { isLoopback } from '../../text/loopback.ts';
import { parseUrl } from '../../text/parse-url.ts';
import type { Asked } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';

// The metadata documents that a run has read: those of the protected resource as the case `resource`, and those of its
// authorization servers as `server-1`, `server-2`. The experiment reads with the same functions as the checks, so that a
// saved run is judged as it was made.

/** A document, with the tries to read it. */
export interface Metadata {
  readonly tries: readonly Exchange[];
  readonly exchange: AnsweredExchange | null;
  /** Null if no try gave the document. */
  readonly value: JsonObject | null;
}

export const RESOURCE = 'resource';
export const serverCase = (index: number): string => `server-${index + 1}`;

/** Of many servers, a few show what clients meet. */
export const MAX_SERVERS = 2;

export function metadataOf(asked: readonly Pick<Asked, 'exchange' | 'caseId'>[], name: string): Metadata {
  const tries = asked.filter(({ caseId }) => caseId === name).map(({ exchange }) => exchange);
  for (const exchange of tries) {
    const value = documentIn(exchange);
    if (value !== null && exchange.kind === 'answered') return { tries, exchange, value };
  }
  return { tries, exchange: null, value: null };
}

/** Members that each of the documents must have, to tell it from an answer that every address gives. */
const KNOWN_MEMBERS = ['resource', 'authorization_servers', 'issuer', 'token_endpoint'];

export function documentIn(exchange: Exchange): JsonObject | null {
  if (exchange.kind !== 'answered' || exchange.response.status !== 200) return null;
  const { value } = jsonBody(exchange);
  if (!isJsonObject(value)) return null;
  return KNOWN_MEMBERS.some((name) => Object.hasOwn(value, name)) ? value : null;
}

/** The authorization servers that the metadata of the resource name, as they are written. */
export function serversIn(resource: JsonObject | null): readonly string[] {
  return textsIn(ownProperty(resource, 'authorization_servers')).slice(0, MAX_SERVERS);
}

/** The texts of a list; none of anything else. */
export function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Whether tokens and codes may travel to an address: over TLS, or without leaving the machine. */
export function isProtected(address: string): boolean {
  const url = parseUrl(address);
  return (
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
  );
}

/** Whether it is the answer of a rate limiter, or of a server in trouble, which says nothing about the request. */
export function isPassing({ response: { status } }: AnsweredExchange): boolean {
  return status === TOO_MANY_REQUESTS || status >= 500;
}

/** Why a document that was not found may exist all the same; null if each try shows that it does not. */
export function notReadable({ tries }: Metadata, what: string): Finding | null {
  const open = tries.find((one) =>
    one.kind === 'answered' ? isPassing(one) || isRedirect(one) : !isAnswer(one),
  );
  if (open === undefined) return null;
  return undecided({
    because: 'not-exercised',
    message: `the metadata of ${what} could not be read`,
    expected: 'a JSON document',
    received: open.kind === 'unanswered' ? open.reason.message : describeTry(open),
    exchangeKey: open.request.key,
    advice:
      'Check from a machine that reaches the address. Addresses of other servers are read only over https, and only on the public internet unless the checked server is on this machine.',
  });
}

export function isRedirect(exchange: Exchange): boolean {
  return exchange.kind === 'answered' && [301, 302, 303, 307, 308].includes(exchange.response.status);
}

export function describeTry(exchange: Exchange): string {
  if (exchange.kind !== 'answered') return 'no answer';
  const { status } = exchange.response;
  return status === 200 ? 'status 200 without such a document' : `status ${status}`;
}
