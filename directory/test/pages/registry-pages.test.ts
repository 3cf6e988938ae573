import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../../../test/report/accessibility.ts';
import { startBrowser, whyNoBrowser } from '../../../test/set-up/browser.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { readServers } from '../../src/registry/read-page.ts';
import { lockWriters } from '../../src/registry/sources.ts';
import { storeServers } from '../../src/registry/store-servers.ts';
import { type DirectoryUnderTest, fetchWhole, startDirectory } from '../directory-under-test.ts';
import { answerFor, type FakeServer, PACKAGE } from '../registry/fake-registry.ts';

const HOSTILE = '"><script>alert(1)</script>\u202e';
const SERVERS: readonly FakeServer[] = [
  {
    name: 'com.example/package',
    version: '1.0.0',
    isLatest: false,
    more: PACKAGE,
  },
  {
    name: 'com.example/package',
    version: '2.0.0',
    status: 'deprecated',
    more: {
      title: 'A package',
      websiteUrl: 'https://package.example/',
      packages: [
        {
          registryType: 'npm',
          identifier: 'a-server',
          version: '2.0.0',
          transport: { type: 'stdio' },
          packageArguments: [{ type: 'positional', value: '; rm -rf ~' }],
          environmentVariables: [
            { name: 'KEY', isRequired: true, isSecret: true, description: 'From the shop' },
          ],
        },
      ],
    },
  },
  {
    name: 'com.example/hostile',
    version: HOSTILE.replaceAll(/[^!-~]/g, ''),
    more: {
      title: HOSTILE,
      description: HOSTILE,
      websiteUrl: 'https://good.example/\u202e"onclick="alert(1)',
      packages: [
        {
          registryType: HOSTILE,
          identifier: HOSTILE.repeat(200),
          runtimeHint: HOSTILE,
          transport: { type: 'stdio' },
          environmentVariables: [{ name: HOSTILE, description: HOSTILE }],
        },
        { registryType: 'npm', identifier: HOSTILE, runtimeHint: HOSTILE, transport: { type: 'stdio' } },
      ],
    },
  },
  { name: 'com.example/deleted', status: 'deleted', more: PACKAGE },
  ...Array.from({ length: 40 }, (_, number) => ({
    name: `com.example/many-${String(number).padStart(2, '0')}`,
    more: PACKAGE,
  })),
];

let open: DirectoryUnderTest;
let closed: DirectoryUnderTest;
let browser: Browser;

beforeAll(async () => {
  open = await startDirectory({ publicPages: true, namespace: 'org.example' });
  closed = await open.another({ publicPages: false });
  await open.store.db.transaction().execute(async (db) => {
    await lockWriters(db);
    const { servers, refused } = readServers(
      SERVERS.map((one) => JSON.parse(JSON.stringify(answerFor(one)))),
    );
    expect(refused).toEqual([]);
    await storeServers(db, servers, 'https://registry.example', {
      publicOnly: true,
      now: new Date(),
      maxServers: null,
    });
  });
  await open.list('weather', 'http://127.0.0.1:9/weather', { protocol: 'mcp' });
  await open.list('harmful', 'http://127.0.0.1:9/harmful', { protocol: 'mcp' });
  await decideAsOperator(open.store.db, 'harmful', {
    action: 'reject',
    operator: 'ada',
    reason: 'it steals keys',
    publicReason: 'It did harm.',
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await closed?.stop();
  await open?.stop();
});

const pageOf = (name: string): string => `/registry/${encodeURIComponent(name)}`;
const ask = (path: string, from = open) =>
  fetchWhole(`${from.url}${path}`, { redirect: 'manual', headers: { accept: 'text/html' } });

describe('the pages of the registry', unless(whyNoBrowser()), () => {
  test.each([
    '/registry',
    '/registry?search=nothing-like-it',
    '/registry?cursor=nonsense',
    pageOf('com.example/package'),
    pageOf('com.example/hostile'),
    pageOf('org.example/weather'),
    pageOf('org.example/harmful'),
  ])('%s is accessible, fits a phone, and runs nothing', async (address) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (!/status of 4\d\d/.test(message.text())) problems.push(message.text());
    });
    page.on('dialog', (dialog) => {
      problems.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(`${open.url}${address}`);
    await expectAccessible(page);
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    expect(await page.locator('main script, main [onclick]').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('list all servers, page by page, and find parts of names', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${open.url}/`);
    await page.getByRole('link', { name: 'Registry', exact: true }).click();
    const names = (): Promise<string[]> => page.locator('.entry .id').allInnerTexts();
    const first = await names();
    await page.getByRole('link', { name: 'Next' }).click();
    const second = await names();
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0);
    expect(first).toHaveLength(30);
    // 40 packages, two others and the entry; neither the rejected nor the deleted one.
    expect(new Set([...first, ...second]).size).toBe(43);
    expect([...first, ...second].join(' ')).not.toMatch(/harmful|deleted/);
    await page.getByRole('link', { name: 'First page' }).click();
    await page.getByLabel('Part of a name').fill('MANY-0');
    await page.keyboard.press('Enter');
    await page.waitForURL(/search=MANY-0/);
    expect(await names()).toHaveLength(10);
    await page.close();
  });

  test('show a package as unchecked, with its command as text and what it needs', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${open.url}${pageOf('com.example/package')}`);
    const text = await page.locator('main').innerText();
    for (const part of ['A package', 'unchecked', 'has not tested', 'deprecated', 'https://registry.example'])
      expect(text).toContain(part);
    expect(text).toContain("npx -y a-server@2.0.0 '; rm -rf ~'");
    expect(text).toContain('KEY (required) (secret) From the shop');
    await page.getByRole('link', { name: '1.0.0' }).click();
    expect(await page.locator('main').innerText()).toContain('npx -y a-server@1.0.0');
    await page.close();
  });

  test('lead to the page of an entry', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${open.url}${pageOf('org.example/weather')}`);
    await page.getByRole('link', { name: 'states, figures and the last test' }).click();
    expect(page.url()).toBe(`${open.url}/servers/weather`);
    await page.close();
  });

  test('show nothing of what was removed', async () => {
    const harmful = await ask(pageOf('org.example/harmful'));
    expect(harmful.status).toBe(410);
    const text = await harmful.text();
    expect(text).toContain('It did harm.');
    expect(text).not.toMatch(/127\.0\.0\.1:9|steals/);
    for (const path of [
      pageOf('com.example/deleted'),
      pageOf('com.example/none'),
      `${pageOf('com.example/package')}?version=9`,
      '/registry/%00',
    ])
      expect((await ask(path)).status, path).toBe(404);
  });

  test('require a key when the other pages do', async () => {
    for (const path of ['/registry', pageOf('com.example/package')]) {
      const answer = await ask(path, closed);
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        `/sign-in?next=${encodeURIComponent(path)}`,
      ]);
    }
  });
});
