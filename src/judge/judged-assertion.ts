import type { Exchange } from '../model/exchange.ts';
import type { Finding } from '../model/judgement.ts';
import type { Assertion, Step } from '../model/suite.ts';
import type { ExchangeJudge } from '../run/exchange-judge.ts';
import type { InstanceRun } from '../run/record.ts';
import type { JudgeContext } from './judge-context.ts';

/** The finding of an assertion, with its instance and its exchange. */
export interface JudgedAssertion {
  readonly assertion: Assertion;
  readonly instance: InstanceRun | null;
  readonly exchange: Exchange | null;
  readonly finding: Finding;
}

/** An instance of a step with a judge for each of its exchanges. */
export interface AnsweredInstance {
  readonly instance: InstanceRun;
  readonly judges: readonly ExchangeJudge[];
}

export interface AnsweredStep {
  readonly step: Step;
  readonly instances: readonly AnsweredInstance[];
  readonly context: JudgeContext;
}

/** The exchange that a finding is about, if it is one of these. */
export function exchangeOf(finding: Finding, exchanges: readonly Exchange[]): Exchange | null {
  const key = 'exchangeKey' in finding ? finding.exchangeKey : undefined;
  return exchanges.find(({ request }) => request.key === key) ?? null;
}
