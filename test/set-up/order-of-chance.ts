import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest. */
const BEGUN_FIRST: ReadonlySet<string> = new Set(
  [
    'action/action',
    'cli/baseline',
    'cli/canaries',
    'cli/check',
    'cli/other-commands',
    'conforming/access',
    'directory/end-to-end',
    'directory/pages',
    'probe/redactor',
    'run/changing-functions',
    'run/timed-steps',
  ].map((name) => `test/${name}.test.ts`),
);

/** Files in an order of chance, but for the longest: begun last, one would keep all the others waiting. */
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
