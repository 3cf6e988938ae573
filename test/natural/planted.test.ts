import { describe, expect, it } from 'vitest';
import { checkUrl, failedRows, findingsOf } from './check-natural.ts';
import { plantedBugs, REFUSING } from './planted.ts';

describe.concurrent('bugs planted in servers as their authors write them', () => {
  for (const bug of plantedBugs) {
    for (const form of bug.forms) {
      it(`${bug.row}, form ${form}: ${bug.name}`, async () => {
        const server = await bug.start(form);
        try {
          const result = await checkUrl(server.url, bug.options);
          const failed = failedRows(result);
          const shown = findingsOf(result, 'failed').join('\n');
          expect(failed, shown).toContain(bug.row);
          const unrelated = failed.filter(
            (row) => row !== bug.row && !bug.also.some((also) => also.test(row)),
          );
          expect(unrelated, shown).toEqual([]);
        } finally {
          await server.close();
        }
      });
    }
  }
});

describe.concurrent('the same bugs beside a function that refuses every made-up id', () => {
  for (const bug of plantedBugs) {
    const { startWith } = bug;
    if (startWith === null) continue;
    for (const form of bug.forms) {
      it(`${bug.row}, form ${form}: ${bug.name}`, async () => {
        const server = await startWith(form, REFUSING);
        try {
          const result = await checkUrl(server.url, bug.options);
          const shown = [...findingsOf(result, 'failed'), ...findingsOf(result, 'undecided')].join('\n');
          expect(failedRows(result), shown).toContain(bug.row);
        } finally {
          await server.close();
        }
      });
    }
  }
});
