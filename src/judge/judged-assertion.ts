import type { Exchange } from '../model/exchange.ts';
import type { Finding } from '../model/judgement.ts';
import type { Assertion } from '../model/suite.ts';
import type { InstanceRun } from '../run/record.ts';

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
