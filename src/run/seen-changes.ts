import { essenceOf } from '../checks/answer-essence.ts';
import { jsonBody } from '../checks/json-body.ts';
import type { Exchange } from '../model/exchange.ts';
import { canonicalJson } from '../model/json.ts';
import type { StepRun } from './record.ts';

/** The steps from which it is seen which functions change something although nothing says that they do. */
export const WATCHING_STEPS = {
  first: 'execute/call',
  before: 'execute/state-before',
  again: 'execute/again',
  after: 'execute/state-after',
} as const;

/**
 * Names of functions that answer the same call differently the second time, or after whose second calls a function that
 * only reads answers differently. Pure.
 */
export function functionsSeenToChange(runOf: (step: string) => StepRun | undefined): ReadonlySet<string> {
  const again = answersIn(runOf(WATCHING_STEPS.again));
  const first = answersIn(runOf(WATCHING_STEPS.first));
  const before = answersIn(runOf(WATCHING_STEPS.before));
  const after = answersIn(runOf(WATCHING_STEPS.after));
  const stateChanged = [...after].some(([name, [now]]) => {
    const texts = before.get(name) ?? [];
    // What differs by itself tells nothing.
    return texts.length > 1 && new Set(texts).size === 1 && now !== undefined && now !== texts[0];
  });
  const names = [...again].filter(
    ([name, [text]]) => stateChanged || !(first.get(name) ?? []).includes(text ?? ''),
  );
  return new Set(names.map(([name]) => name));
}

function answersIn(run: StepRun | undefined): ReadonlyMap<string, readonly string[]> {
  const byFunction = new Map<string, string[]>();
  if (run?.kind !== 'ran') return byFunction;
  for (const { functionName, exchanges } of run.instances) {
    const texts = exchanges.map(essenceText);
    if (functionName !== null)
      byFunction.set(functionName, [...(byFunction.get(functionName) ?? []), ...texts]);
  }
  return byFunction;
}

function essenceText(exchange: Exchange): string {
  if (exchange.kind === 'unanswered') return exchange.reason.code;
  const { value } = jsonBody(exchange);
  return `${exchange.response.status} ${value === undefined ? '' : canonicalJson(essenceOf(value))}`;
}
