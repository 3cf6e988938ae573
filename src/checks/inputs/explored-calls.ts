import type { AnsweredExchange } from '../../model/exchange.ts';
import { canonicalJson, type Json } from '../../model/json.ts';
import type { Asked } from '../define-check.ts';
import { payloadOf } from '../execute/answer-essence.ts';
import { jsonBody } from '../json/json-body.ts';

/** Statuses that say nothing about the input. */
const OF_THE_CALLER: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/** A generated valid input with its answer. */
export interface ExploredCall {
  readonly functionName: string;
  readonly descriptor: Json;
  readonly input: Json;
  readonly inputText: string;
  readonly exchange: AnsweredExchange;
  readonly status: number;
  /** Undefined in an error. */
  readonly result: Json | undefined;
  readonly caseId: string;
}

export function refusesTheCaller({ response }: AnsweredExchange): boolean {
  return OF_THE_CALLER.has(response.status);
}

/** The answered calls with generated valid inputs, in the order in which they were made. */
export function exploredCalls(asked: readonly Asked[]): readonly ExploredCall[] {
  return asked.flatMap(({ exchange, call, item, caseId }) => {
    if (call?.inputSource !== 'explored' || exchange.kind === 'unanswered' || refusesTheCaller(exchange))
      return [];
    const { value } = jsonBody(exchange);
    return [
      {
        functionName: call.functionName,
        descriptor: item ?? null,
        input: call.input ?? {},
        inputText: canonicalJson(call.input),
        exchange,
        status: exchange.response.status,
        result: payloadOf(value),
        caseId: caseId ?? '',
      },
    ];
  });
}
