import type { Exchange } from '../model/exchange.ts';
import type { Finding } from '../model/judgement.ts';
import type { Assertion, Step } from '../model/suite.ts';
import type { ExchangeJudge } from '../run/exchange-judge.ts';
import type { InstanceRun } from '../run/record.ts';
import { conditionOf, type JudgeContext, neededFinding } from './judge-exchange.ts';

/** One assertion decided, tied to the instance and the exchange that it is about. */
export interface JudgedAssertion {
  readonly assertion: Assertion;
  readonly instance: InstanceRun | null;
  readonly exchange: Exchange | null;
  readonly finding: Finding;
}

export function exchangeNamed(exchanges: readonly Exchange[], key: string | undefined): Exchange | null {
  return exchanges.find(({ request }) => request.key === key) ?? null;
}

/** What keeps an assertion about several exchanges from being judged on any of them. */
export function prerequisiteOf(
  assertion: Assertion,
  step: Step,
  judgesOfAll: readonly ExchangeJudge[],
  context: JudgeContext,
): Finding | null {
  const { needs } = assertion;
  const condition = conditionOf(assertion, context.form);
  if (condition !== null || needs === null) return condition;
  const findingsOf = (other: Assertion): readonly Finding[] =>
    judgesOfAll.flatMap((judge) => judge.findings(other));
  return neededFinding(needs, step, findingsOf, context);
}
