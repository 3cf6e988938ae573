import type { TransportFailure } from '../model/exchange.ts';
import type { TestResult } from '../model/report.ts';
import { unsentExchange } from '../model/sent.ts';
import { systemClock } from '../probe/system-clock.ts';
import { checkTarget } from './check.ts';
import { checkInputOf } from './check-input.ts';
import type { CheckOptions } from './check-options.ts';

/** The test result of a target that is known to be unreachable: each request failed for this reason. Sends nothing. */
export function reportUnreachable(
  url: string,
  options: CheckOptions,
  reason: TransportFailure,
): Promise<TestResult> {
  return checkTarget(checkInputOf(url, options), {
    signal: new AbortController().signal,
    probe: {
      send: async (planned) => unsentExchange(planned, reason, systemClock.nowMs()),
      close: () => undefined,
    },
  });
}
