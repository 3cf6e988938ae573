import { describe, expect, it } from 'vitest';
import { checkUrl, failedRows, findingsOf, NO_EXAMPLE } from './check-natural.ts';
import { plantedBugs } from './planted.ts';

const cases = plantedBugs.flatMap((bug) =>
  bug.forms.map((form) => ({ bug, form, name: bug.name, row: bug.row })),
);

describe.concurrent('bugs planted in servers as their authors write them', () => {
  it.for(cases)('$row, form $form: $name', async ({ bug, form }) => {
    const server = await bug.start(form);
    try {
      const result = await checkUrl(server.url, bug.options);
      const failed = failedRows(result).filter((row) => row !== NO_EXAMPLE);
      const shown = findingsOf(result, 'failed').join('\n');
      expect(failed, shown).toContain(bug.row);
      const unrelated = failed.filter((row) => row !== bug.row && !bug.also.some((also) => also.test(row)));
      expect(unrelated, shown).toEqual([]);
    } finally {
      await server.close();
    }
  });
});
