import { describe, expect, test } from 'vitest';
import { checkServer } from '../../src/check/threads/check-server.ts';
import { isMeasurement, type Measurement } from '../../src/model/measurement.ts';
import { REFERENCE_SAMPLES } from '../../src/reference/functions.ts';
import { realTime } from '../latency/test-time.ts';
import { startMutantServer } from './mutant-server.ts';
import { performanceMutants } from './performance.ts';

const isHealth = ({ operation }: Measurement): boolean => operation === 'health';
const isCapabilities = ({ operation }: Measurement): boolean => operation === 'capabilities';
const isExecute = ({ operation }: Measurement): boolean => operation === 'execute';
const isAdd = ({ function: name }: Measurement): boolean => name === 'add';

/** The first mutant of each row, and the measurements whose reliability decides whether the row can fail. */
const ROWS = [
  ['performance/health-latency', isHealth, isHealth],
  ['performance/capabilities-latency', isCapabilities, isCapabilities],
  ['performance/execute-latency', isAdd, isAdd],
  ['performance/claimed-response-time', isExecute, isExecute],
  // An error status does not depend on time.
  ['performance/error-rate', () => false, () => false],
] as const;

/** The server waits this long before each answer, so that every answer is above the limits of the mutants. */
const LIMIT_MS = 150;

const BUSY = 'the engine reports unreliable figures, as on a busy machine: run this test alone';

describe.sequential('the engine with its reliability check, against a slow server', () => {
  test.for(ROWS)('%s', { timeout: 600_000 }, async ([row, isSlow, decides], { skip }) => {
    const mutant = performanceMutants.find((one) => one.row === row);
    expect(mutant).toBeDefined();
    const server = await startMutantServer('B', mutant, realTime);
    try {
      const result = await checkServer(server.url, {
        only: [row],
        samples: REFERENCE_SAMPLES,
        seed: 1,
        deadlineMs: 300_000,
        ...mutant?.options,
      });
      const measured = result.responseTimes.filter(isMeasurement);
      expect(measured).not.toEqual([]);
      // A busy machine only makes figures larger, so these hold on any machine.
      for (const { p50Ms } of measured.filter(isSlow)) expect(p50Ms).toBeGreaterThan(LIMIT_MS);
      const doubts = measured.filter(decides).flatMap(({ unreliable }) => unreliable);
      const outcome = result.results.find(({ id }) => id === row)?.outcome;
      expect(outcome).toBe(doubts.length > 0 ? 'undecided' : 'failed');
      for (const doubt of doubts)
        expect(JSON.stringify(result.findings)).toContain(JSON.stringify(doubt).slice(1, -1));
      // An undecided row proves nothing; test/latency/reliability.test.ts tests when figures must be unreliable.
      if (doubts.length > 0) skip(BUSY);
    } finally {
      await server.close();
    }
  });
});
