import type { TestResult } from '../../src/model/report.ts';
import { exploringWith, FUZZ_CALLS } from '../../src/run/steps/exploring-settings.ts';
import { checkHere } from '../check/check-here.ts';
import { PATIENT } from '../patience.ts';
import type { RunningServer } from './natural-server.ts';

const SEED = 7;
/** Only for what hangs: no machine is as slow as that. */
export const FUZZ_TIMEOUT_MS = 600_000;

/** As `probity fuzz --allow-mutating`, but faster than its pace. Closes the server. */
export async function fuzzServer(server: RunningServer): Promise<TestResult> {
  try {
    return await checkHere(
      server.url,
      {
        seed: SEED,
        only: ['inputs/*'],
        latency: { off: true },
        mutating: { default: 'allow' },
        ...PATIENT,
        exploring: exploringWith(FUZZ_CALLS),
        requestsPerSecond: 10_000,
      },
      { signal: new AbortController().signal },
    );
  } finally {
    await server.close();
  }
}
