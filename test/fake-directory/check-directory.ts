import type { CheckOptions } from '../../src/check/check-options.ts';
import type { TestResult } from '../../src/model/report.ts';
import { checkHere } from '../check/check-here.ts';
import { PATIENT } from '../patience.ts';
import { type DoubleOptions, startDirectory } from './directory.ts';
import { KEY } from './rules.ts';

const SEED = 20_260_101;

/** Starts a fake directory, checks it in this process, and stops it. */
export async function checkDirectory(options: DoubleOptions, run: CheckOptions = {}): Promise<TestResult> {
  const directory = await startDirectory(options);
  try {
    return await checkHere(
      directory.url,
      // A much higher rate than for a foreign directory, because this one belongs to the test.
      { directory: {}, bearerToken: KEY, seed: SEED, requestsPerSecond: 1000, ...PATIENT, ...run },
      { signal: new AbortController().signal },
    );
  } finally {
    await directory.close();
  }
}
