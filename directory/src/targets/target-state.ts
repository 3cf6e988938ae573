import {
  type AnsweredExchange,
  bearerIn,
  type HttpExchange,
  headerValue,
  isRateLimited,
  jsonBody,
  ownProperty,
  shorten,
  visible,
} from 'probity/model';
import type { Gate } from '../db/tables.ts';
import type { EntryTarget } from '../entries/entries.ts';
import { gateAdvice } from '../entries/gate-advice.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { targetTokenOf } from './target-access.ts';

const OPERATIONAL: readonly unknown[] = ['ok', 'healthy'];

/**
 * Whether the outcome of GET /health, or of what asks another protocol for it, shows that the target is up
 * (specification, section 2.4); null when undecided.
 */
export function stateOf(
  health: HttpExchange,
  isOperational: (answer: AnsweredExchange) => boolean = saysOperational,
): boolean | null {
  // A target that asks to be called less often does not say how it is.
  if (isRateLimited(health)) return null;
  // It is alive.
  if (isGated(health)) return true;
  if (health.kind === 'answered') return isOperational(health);
  return mayBeOurFault(health) ? null : false;
}

function saysOperational(health: AnsweredExchange): boolean {
  return (
    health.response.status === 200 && OPERATIONAL.includes(ownProperty(jsonBody(health).value, 'status'))
  );
}

/** Failures that the directory's own resolver or routing can cause, so they are no proof that a target is down. */
const AMBIGUOUS_CODES: ReadonlySet<string> = new Set(['name-lookup-failed', 'network-unreachable']);

/** Whether a failure may have a reason on the side of the directory. */
export function mayBeOurFault({ reason }: Extract<HttpExchange, { kind: 'unanswered' }>): boolean {
  return reason.fault === 'harness' || AMBIGUOUS_CODES.has(reason.code);
}

/** Whether no connection was made, for a reason that an outage of the directory's own network can also cause. */
export function mayBeOurNetwork(exchange: HttpExchange): boolean {
  return (
    exchange.kind === 'unanswered' &&
    exchange.reason.fault === 'network' &&
    // A refused connection proves that the network works.
    exchange.reason.code !== 'connection-refused'
  );
}

const MAX_CHALLENGE_CHARACTERS = 1000;

/** Whether a server refuses a caller without a key, or with a wrong one. Pure. */
export function isGated(exchange: HttpExchange): boolean {
  if (exchange.kind !== 'answered' || isRateLimited(exchange)) return false;
  return exchange.response.status === 401 || exchange.response.status === 403;
}

/** How the server of an entry refuses the directory; null when it does not. Pure. */
export function gateOf(
  exchange: HttpExchange,
  entry: EntryTarget,
  { environment }: Pick<ServiceSettings, 'environment'>,
): Gate | null {
  if (exchange.kind !== 'answered' || !isGated(exchange)) return null;
  const { status, headers } = exchange.response;
  const shown = (text: string | undefined): string | null =>
    text === undefined ? null : shorten(visible(text), MAX_CHALLENGE_CHARACTERS);
  const gate = {
    httpStatus: status,
    challenge: shown(headerValue(headers, 'www-authenticate')),
    metadataUrl: shown(bearerIn(headers)?.parameters.get('resource_metadata')),
    hasKey: targetTokenOf(entry, environment).kind === 'token',
  };
  return { ...gate, remedy: gateAdvice(entry, gate) };
}
