import { ownProperty, shorten } from '../../json/json.ts';
import { type Answer, type AnsweredExchange, isSuccess } from '../../model/exchange.ts';
import { bufferFrom } from '../../model/sent.ts';
import { answeringMessage, isMessage, toolOutcome } from '../../wires/mcp/answer.ts';
import type { Asked } from '../define-check.ts';
import { jsonBody } from './json-body.ts';

/** The exchanges of a step that were answered over HTTP. */
export function answersIn(asked: readonly Asked[]): readonly AnsweredExchange[] {
  return asked.flatMap(({ exchange }) => (exchange.kind === 'answered' ? [exchange] : []));
}

/** For checks that judge all answers. */
export const NO_ANSWER = { reasons: { 'no-answer': 'no request was answered' } } as const;

/** Whether a call got what it asked for. */
export function isServed(answer: Answer): boolean {
  return isMessage(answer) ? toolOutcome(answer).kind === 'result' : isSuccess(statusOf(answer) ?? 0);
}

/** Of HTTP; null over standard streams. */
export function statusOf(answer: Answer): number | null {
  return answer.kind === 'heard' ? null : answer.response.status;
}

/** Of what kind an answer to a call is, to compare it with others: its status, or how it refuses. */
export function kindOf(answer: Answer): string {
  if (!isMessage(answer)) return String(statusOf(answer));
  const outcome = toolOutcome(answer);
  if (outcome.kind !== 'refused') return outcome.kind;
  return outcome.by === 'tool' ? 'isError' : `the code ${JSON.stringify(outcome.code ?? null)}`;
}

/** What an answer says, in a few words: its status, and what the error says of it. */
export function describeAnswer(answer: Answer): string {
  if (!isMessage(answer)) return describeStatus(answer);
  const outcome = toolOutcome(answer);
  switch (outcome.kind) {
    case 'result':
      return 'a result';
    case 'wants-input':
      return outcome.capabilities.length === 0
        ? answeringMessage(answer)?.message.kind === 'error'
          ? 'the error -32042'
          : 'a result that asks for input (input_required)'
        : 'the error -32021';
    case 'unreadable':
      return answer.kind === 'answered' && answeringMessage(answer) === undefined
        ? `status ${statusOf(answer)}${said(bufferFrom(answer.response.body).toString().trim())}`
        : outcome.problem;
    case 'refused':
      return outcome.by === 'tool'
        ? `a result with isError${said(outcome.text)}`
        : `the error ${JSON.stringify(outcome.code ?? null)}${said(outcome.text)}`;
  }
}

/** The status of an answer over HTTP, and what the error in its body says of it. */
export function describeStatus(answer: Answer): string {
  const error = ownProperty(jsonBody(answer).value, 'error');
  const parts = [ownProperty(error, 'code'), ownProperty(error, 'message')];
  const words = shorten(parts.filter((part) => typeof part === 'string').join(': '));
  return `status ${statusOf(answer)}${words === '' ? '' : `, ${words}`}`;
}

function said(text: string): string {
  return text === '' ? '' : `: ${shorten(text)}`;
}
