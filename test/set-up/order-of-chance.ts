import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Measured: they take longest. */
const BEGUN_FIRST: ReadonlySet<string> = new Set(
  [
    'directory/test/checking/background',
    'directory/test/cli/entries',
    'directory/test/gateway/execute-once',
    'directory/test/checking/guarded',
    'directory/test/gateway/mcp-hostile',
    'directory/test/pages/pages',
    'directory/test/search/random-search',
    'directory/test/checking/tester',
    'test/action/action',
    'test/check/check-server',
    'test/cli/reports/baseline',
    'test/cli/check/bench',
    'test/cli/check/check',
    'test/cli/check/fuzz',
    'test/cli/check/listing',
    'test/cli/check/start',
    'test/cli/check/targets',
    'test/cli/check/watch',
    'test/fake-directory/directory',
    'test/latency/interval-coverage',
    'test/mcp/bridge',
    'test/mcp/check',
    'test/mcp/command',
    'test/probe/load/transports',
    'test/probe/suspension',
    'test/report/any-report',
    'test/report/fingerprints',
    'test/report/html',
    'test/run/changing-functions',
    'test/run/order',
    'test/run/timed-steps',
  ].map((name) => `${name}.test.ts`),
);

/** Files in random order, but the longest first: at the end, one of them would delay the whole run. */
export class OrderOfChance extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config;
    const placed = files.map((file) => {
      const name = file.moduleId.slice(root.length + 1);
      const place = createHash('sha256').update(`${sequence.seed} ${name}`).digest('hex');
      return { file, place: BEGUN_FIRST.has(name) ? `0 ${place}` : `1 ${place}` };
    });
    return placed.sort((one, other) => (one.place < other.place ? -1 : 1)).map(({ file }) => file);
  }
}
