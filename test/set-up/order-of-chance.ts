import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Measured: they take longest. */
const BEGUN_FIRST: ReadonlySet<string> = new Set(
  [
    'directory/test/auditing/audit',
    'directory/test/checking/background',
    'directory/test/checking/contracts',
    'directory/test/checking/guarded',
    'directory/test/checking/target-limiter',
    'directory/test/checking/tester',
    'directory/test/cli/entries',
    'directory/test/cli/transfer',
    'directory/test/gateway/mcp-hostile',
    'directory/test/pages/pages',
    'directory/test/pages/registry-pages',
    'directory/test/registry/follow',
    'directory/test/registry/packages',
    'directory/test/registry/untrusted',
    'directory/test/transfer/transfer',
    'directory/test/watching/following',
    'directory/test/watching/observations',
    'test/action/action',
    'test/check/coverage',
    'test/check/timed-checks',
    'test/cli/check/watch',
    'test/judge/repeat-command',
    'test/malformed-responses/corpus',
    'test/mcp/bridge',
    'test/mcp/client-answers',
    'test/mcp/sdk-asking',
    'test/reference/reference',
    'test/report/html',
    'test/run/timed-steps',
    'test/set-up/loads',
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
