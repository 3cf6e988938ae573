import type { AnsweredExchange } from '../../model/exchange.ts';
import { type Json, type JsonObject, ownProperty } from '../../model/json.ts';
import { inapplicable } from '../../model/judgement.ts';
import { type CheckFinding, cannotJudge } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';

const MIN_ERROR = 400;
/** From 502 on, a proxy answers as often as the server itself. */
const MAX_ERROR = 501;

/** Want of a key or of patience: what is in front of the server may have said so, in its own form. */
const BEFORE_THE_SERVER: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/** What a server answers that has no such operation at all, whatever the input. */
export const NO_SUCH_OPERATION: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * Whether an answer of /execute is an error of the server's own, which must have the form of section 7. To a call that
 * must be refused, 404 is a refusal like any other.
 */
export function isErrorAnswer(exchange: AnsweredExchange, { refused }: JsonObject = {}): boolean {
  const { status } = exchange.response;
  if (status < MIN_ERROR || status > MAX_ERROR || BEFORE_THE_SERVER.has(status)) return false;
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

/** The function was found and did not like its input, or it failed on it; no proof that it fails on a valid one. */
export function isRefusal(exchange: AnsweredExchange): boolean {
  const { status } = exchange.response;
  if (status < 400) return false;
  const error = ownProperty(jsonBody(exchange).value, 'error');
  if (ownProperty(error, 'code') === 'FUNCTION_NOT_FOUND') return false;
  return error !== undefined || !NO_SUCH_OPERATION.has(status);
}

/** The function itself said what is wrong, in the form of the specification's section 7. */
export function isDescribedError(exchange: AnsweredExchange): boolean {
  const { value } = jsonBody(exchange);
  const isUnknown = ownProperty(ownProperty(value, 'error'), 'code') === 'FUNCTION_NOT_FOUND';
  return exchange.response.status >= 400 && describesError(value) && !isUnknown;
}

/**
 * A call that must be refused always gets an error answer; of any other call only the error answers are judged that
 * happen to come, and where there is none, nothing was missed.
 */
export const MAY_BE_REFUSED = {
  options: {
    refused: {
      doc: 'true for calls that must be refused: they always get an error answer, with 404 as well.',
      required: false,
    },
  },
  isIncidental: ({ refused }: JsonObject) => refused !== true,
} as const;

export const NO_ERROR_ANSWER = { 'no-answer': 'there is no answer to a call that must be refused' } as const;

export function unansweredFinding({ refused }: JsonObject): CheckFinding<'no-answer'> {
  return refused === true ? cannotJudge('no-answer') : inapplicable('there is no answer');
}
