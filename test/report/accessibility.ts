import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Finds no accessibility problem in either theme, with all details open. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(
    `for (const details of document.querySelectorAll('details')) details.open = true; ${axe.source}`,
  );
  const violations = (options: string): Promise<unknown> =>
    page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violations('{}')).toEqual([]);
  // Only colours differ.
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations('{ runOnly: ["color-contrast"] }')).toEqual([]);
}
