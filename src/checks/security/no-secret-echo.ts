import { type AnsweredExchange, headerValue } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { bufferFrom } from '../../model/sent.ts';
import { defineCheck } from '../define-check.ts';
import { answersIn } from '../json/answers.ts';

/** Placeholders for an Authorization value that the user gave; the value itself is not stored. */
const GIVEN = new Set(['PROBITY_TOKEN', 'PROBITY_HEADER_AUTHORIZATION']);

/** Shorter tokens would match unrelated text. */
const MIN_CHARACTERS = 8;

export const noSecretEcho = defineCheck(
  'step',
  'no-secret-echo',
  'no answer repeats the Authorization value that was sent',
  ({ asked }) => {
    const carrying = answersIn(asked).filter(
      ({ request }) => headerValue(request.headers, 'authorization') !== undefined,
    );
    if (carrying.length === 0) return inapplicable('no request carried an Authorization header');
    const findings = carrying.flatMap(echoIn);
    if (findings.length > 0) return findings;
    if (carrying.some(({ response }) => response.bodyProblem === undefined)) return passed;
    return undecided({
      message: 'no answer to a request with an Authorization header has a body that could be read',
      expected: 'a readable body',
      received: 'none',
      fault: 'server',
    });
  },
  { replacedSecret: 'looked-for' },
);

function echoIn(exchange: AnsweredExchange): readonly Finding[] {
  const { request, response } = exchange;
  const authorization = headerValue(request.headers, 'authorization') ?? '';
  const token = authorization.split(' ').at(-1) ?? '';
  const given = response.repeatedSecrets.find((variable) => GIVEN.has(variable));
  const isKnown = !token.startsWith('$PROBITY_') && token.length >= MIN_CHARACTERS;
  const place = isKnown ? placeOf(token, exchange) : undefined;
  if (given === undefined && place === undefined) return [];
  return [
    failed({
      message: 'an answer repeats the Authorization value that came with the request',
      expected: 'an answer without the value',
      received: given === undefined ? `it is in the ${place}` : `it is in the answer, as $${given}`,
      exchangeKey: request.key,
    }),
  ];
}

/** The value as it is; its letters, digits and hyphens are written the same in JSON and in URLs. */
function placeOf(token: string, { response }: AnsweredExchange): string | undefined {
  const header = response.headers.find(([, value]) => value.includes(token));
  if (header !== undefined) return `header ${header[0]}`;
  return bufferFrom(response.body).includes(token) ? 'body' : undefined;
}
