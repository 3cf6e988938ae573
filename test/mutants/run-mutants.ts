import pLimit from 'p-limit';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import type { FirstFailure } from '../../src/judge/first-failure.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { overHttp } from '../../src/model/sent.ts';
import type { Suite } from '../../src/model/suite.ts';
import type { ReferenceFunction } from '../../src/reference/define-function.ts';
import { REFERENCE_SAMPLES } from '../../src/reference/functions.ts';
import { checkHere } from '../check/check-here.ts';
import { createTestTime, offerInTestTime } from '../latency/test-time.ts';
import { expectTold } from './expect-told.ts';
import { listed } from './listed.ts';
import type { Mutant } from './mutant.ts';
import { startMutantServer } from './mutant-server.ts';

/** Checks mostly wait, so several run at once; too many would wait for this process instead of the server. */
const AT_ONCE = 16;
const SEED = 20_260_101;
/** Far more than any answer takes, however busy the machine is. */
const REQUEST_TIMEOUT_MS = 10_000;
/** A mutant that hangs is decided by time-outs, and the deadline must not come before them on a busy machine. */
const DEADLINE_MS = 600_000;

/** The report, with another address of the target. */
function movedTo(url: string, from: string, { target, exchanges, ...result }: TestResult): TestResult {
  return {
    ...result,
    target: { ...target, url },
    exchanges: exchanges.map(overHttp).map((exchange) => ({
      ...exchange,
      request: { ...exchange.request, url: exchange.request.url.replace(from, url) },
    })),
  };
}

export type CheckMutant = (form: Form, mutant?: Mutant) => Promise<TestResult>;

/** Checks servers, each started for the one check, a bounded number at once. */
export function createMutantRunner(
  suites: readonly Suite[],
  skip: readonly string[] = [],
  common: CheckOptions = {},
  beside: readonly ReferenceFunction[] = [],
): CheckMutant {
  const limit = pLimit(AT_ONCE);
  const check: CheckMutant = (form, mutant) =>
    limit(async () => {
      const time = createTestTime();
      const server = await startMutantServer(form, mutant, time, beside);
      try {
        const options = {
          suites,
          skip,
          seed: SEED,
          samples: REFERENCE_SAMPLES,
          requestTimeoutMs: REQUEST_TIMEOUT_MS,
          deadlineMs: DEADLINE_MS,
          ...common,
          ...mutant?.options,
        };
        const told: FirstFailure[] = [];
        const result = await checkHere(server.url, options, {
          onFailure: (failure) => void told.push(failure),
          signal: new AbortController().signal,
          offerLoad: offerInTestTime(time),
        });
        expectTold(told, result);
        const elsewhere = mutant?.judgedAt;
        return elsewhere === undefined
          ? result
          : await judgeReport(movedTo(elsewhere, server.url, result), suites);
      } finally {
        await server.close();
      }
    });
  if (common.listingGiven !== true) return check;
  const conforming = new Map<Form, Promise<TestResult>>();
  return async (form, mutant) => {
    // Mutants that break only the listing share one check of the server.
    if (mutant !== undefined && mutant.listing === undefined)
      return listed(await check(form, mutant), mutant);
    const checked = conforming.get(form) ?? check(form);
    conforming.set(form, checked);
    return listed(await checked, mutant);
  };
}
