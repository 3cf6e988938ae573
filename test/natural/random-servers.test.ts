import { afterAll, describe, expect, it } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { faultyInputs } from '../../src/report/faulty-inputs.ts';
import { exploringWith, FUZZ_CALLS } from '../../src/run/steps/exploring-settings.ts';
import { checkUrl, findingsOf } from './check-natural.ts';
import { type RandomServer, randomServers } from './random/random-servers.ts';

const COUNT = Number(process.env.PROBITY_RANDOM_SERVERS ?? 60);
const SEED = Number(process.env.PROBITY_SEED ?? 20_260_131);
/** Ends only runs that hang. */
const TIMEOUT_MS = 600_000;

const servers = randomServers(COUNT, SEED);
let calls = 0;
const undecided = new Map<string, number>();

function countUndecided(server: RandomServer, { findings }: TestResult): void {
  for (const { id, message, outcome } of findings) {
    if (outcome !== 'undecided') continue;
    const names = new RegExp(server.functions.map(({ name }) => name).join('|'), 'g');
    const reason = `${id}: ${message.replaceAll(names, 'getThing')}`;
    undecided.set(reason, (undecided.get(reason) ?? 0) + 1);
  }
}

function wrongIn(server: RandomServer, result: TestResult): readonly unknown[] {
  const failed = findingsOf(result, 'failed');
  const shown = faultyInputs(result).map(({ function: name, input }) => ({
    ...server.functions.find((fn) => fn.name === name),
    input,
  }));
  return [...failed, ...shown];
}

describe.concurrent(`servers with random schemas, seed ${SEED}`, () => {
  afterAll(() => {
    const functions = servers.flatMap((server) => server.functions).length;
    const reasons = [...undecided].sort(([, one], [, other]) => other - one);
    process.stdout.write(
      `seed ${SEED}: ${servers.length} servers, ${functions} functions, ${calls} calls, undecided:\n${reasons
        .map(([reason, count]) => `${count} ${reason}\n`)
        .join('')}`,
    );
  });

  it.for(servers)('$name shows no fault', { timeout: TIMEOUT_MS }, async (server) => {
    const { url, close } = await server.start(() => {
      calls += 1;
    });
    try {
      const usual = await checkUrl(url, { seed: SEED });
      const explored = await checkUrl(url, {
        seed: SEED,
        only: ['inputs/*'],
        exploring: exploringWith(FUZZ_CALLS),
        requestsPerSecond: 10_000,
      });
      for (const result of [usual, explored]) {
        countUndecided(server, result);
        expect(wrongIn(server, result)).toEqual([]);
        expect(result.verdict).not.toBe('fail');
      }
    } finally {
      await close();
    }
  });
});
