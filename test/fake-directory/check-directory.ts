import type { CheckOptions } from '../../src/app/check-options.ts';
import { runCheck } from '../../src/app/run-check.ts';
import type { TestResult } from '../../src/model/report.ts';
import { PATIENT } from '../patience.ts';
import { type DoubleOptions, startDirectory } from './directory.ts';
import { KEY } from './rules.ts';

const SEED = 20_260_101;

/** Starts a fake directory, checks it in this process, and ends it. */
export async function checkDirectory(options: DoubleOptions, run: CheckOptions = {}): Promise<TestResult> {
  const directory = await startDirectory(options);
  try {
    return await runCheck(
      directory.url,
      // Far more often than a stranger's directory is asked: this one is nobody's but the test's.
      { directory: {}, bearerToken: KEY, seed: SEED, requestsPerSecond: 1000, ...PATIENT, ...run },
      { signal: new AbortController().signal },
    );
  } finally {
    await directory.close();
  }
}
