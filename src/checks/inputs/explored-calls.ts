import { canonicalJson, type Json } from '../../json/json.ts';
import type { Answer } from '../../model/exchange.ts';
import type { Asked } from '../define-check.ts';
import { payloadOf } from '../execute/answer-essence.ts';
import { isServed, kindOf, statusOf } from '../json/answers.ts';

/** Statuses that say nothing about the input. */
const OF_THE_CALLER: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/** Statuses of a proxy or of a busy server. */
const MIN_GATEWAY_STATUS = 502;

/** A generated valid input with its answer. */
export interface ExploredCall {
  readonly functionName: string;
  readonly descriptor: Json;
  readonly input: Json;
  readonly inputText: string;
  readonly exchange: Answer;
  readonly isServed: boolean;
  /** A proxy, or a server that is too busy, may have answered. */
  readonly mayBeFromProxy: boolean;
  /** Its status, or how it refuses. */
  readonly kind: string;
  /** Undefined in an error. */
  readonly result: Json | undefined;
  readonly caseId: string;
}

export function refusesTheCaller(answer: Answer): boolean {
  return OF_THE_CALLER.has(statusOf(answer) ?? 0);
}

/** The answered calls with generated valid inputs, in the order in which they were made. */
export function exploredCalls(asked: readonly Asked[]): readonly ExploredCall[] {
  return asked.flatMap(({ exchange, call, item, caseId }) => {
    if (call?.inputSource !== 'explored' || exchange.kind === 'unanswered' || refusesTheCaller(exchange))
      return [];
    return [
      {
        functionName: call.functionName,
        descriptor: item ?? null,
        input: call.input ?? {},
        inputText: canonicalJson(call.input),
        exchange,
        isServed: isServed(exchange),
        mayBeFromProxy: (statusOf(exchange) ?? 0) >= MIN_GATEWAY_STATUS,
        kind: kindOf(exchange),
        result: payloadOf(exchange),
        caseId: caseId ?? '',
      },
    ];
  });
}
