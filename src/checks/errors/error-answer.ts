import { type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import type { Answer, AnsweredExchange } from '../../model/exchange.ts';
import { inapplicable } from '../../model/judgement.ts';
import { isMessage, toolOutcome } from '../../wires/mcp/answer.ts';
import { type CheckFinding, cannotJudge } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';

const MIN_ERROR = 400;
/** Statuses from 502 on may also come from a proxy. */
const MAX_ERROR = 501;

/** A missing key, a timeout or a rate limit: a proxy may answer these in its own form. */
const MAYBE_FROM_PROXY: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/** Statuses of a server that does not have the operation at all. */
export const NO_SUCH_OPERATION: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * Whether an answer of /execute is an error of the server itself, which must have the form of section 7. For a call
 * that must be refused, 404 is a refusal like any other.
 */
export function isErrorAnswer(exchange: AnsweredExchange, { refused }: JsonObject = {}): boolean {
  const { status } = exchange.response;
  if (status < MIN_ERROR || status > MAX_ERROR || MAYBE_FROM_PROXY.has(status)) return false;
  return (
    refused === true ||
    !NO_SUCH_OPERATION.has(status) ||
    ownProperty(jsonBody(exchange).value, 'error') !== undefined
  );
}

/** A body with the strings error.code and error.message (specification, section 7). */
export function describesError(body: Json | undefined): boolean {
  const error = ownProperty(body, 'error');
  return typeof ownProperty(error, 'code') === 'string' && typeof ownProperty(error, 'message') === 'string';
}

/** The function exists and rejected its input or failed on it. This does not prove that it fails on valid input. */
export function isRefusal(exchange: Answer): boolean {
  if (exchange.kind === 'heard' || isMessage(exchange)) return toolOutcome(exchange).kind === 'refused';
  const { status } = exchange.response;
  if (status < 400) return false;
  const error = ownProperty(jsonBody(exchange).value, 'error');
  if (ownProperty(error, 'code') === 'FUNCTION_NOT_FOUND') return false;
  return error !== undefined || !NO_SUCH_OPERATION.has(status);
}

/** The function itself describes the error, in the form of section 7 of the specification; every refusal of the protocol does. */
export function isDescribedError(exchange: Answer): boolean {
  if (exchange.kind === 'heard' || isMessage(exchange)) return isRefusal(exchange);
  return isRefusal(exchange) && describesError(jsonBody(exchange).value);
}

/** A call that must be refused always gets an error answer. Other calls are judged only if they get one. */
export const MAY_BE_REFUSED = {
  options: {
    refused: {
      doc: 'true for calls that must be refused: they always get an error answer, which may be a 404.',
      required: false,
    },
  },
  isIncidental: ({ refused }: JsonObject) => refused !== true,
} as const;

export const NO_ERROR_ANSWER = { 'no-answer': 'a call that must be refused got no answer' } as const;

export function unansweredFinding({ refused }: JsonObject): CheckFinding<'no-answer'> {
  return refused === true ? cannotJudge('no-answer') : inapplicable('there is no answer');
}
