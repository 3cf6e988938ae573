import axe from 'axe-core';
import { sql } from 'kysely';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, whyNoBrowser } from '../../../test/set-up/browser.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { keyIdIn, revokeKey } from '../../src/accounts/keys.ts';
import { readEntry } from '../../src/entries/entries.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { type DirectoryUnderTest, fetchWhole, startDirectory } from '../directory-under-test.ts';
import { HOSTILE } from '../entries/kept-entries.ts';

let directory: DirectoryUnderTest;
beforeAll(async () => {
  // Also where everybody may read the other pages.
  directory = await startDirectory({ publicPages: true });
  await directory.list('good', 'https://good.example');
  await directory.list('held', 'https://held.example');
  await directory.list('twin-a', 'https://twin.example');
  await directory.list('twin-b', 'https://TWIN.example/');
  await directory.add({ ...HOSTILE, uptime: 1, responseTime: 1 });
  await decideAsOperator(directory.store.db, 'held', {
    action: 'hold',
    reason: '<script>alert(1)</script>',
    operator: 'ada',
  });
});
afterAll(() => directory?.stop());

/** Signs in as a browser does, and returns the cookie. */
async function signIn(key: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetchWhole(`${directory.url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: directory.url, ...headers },
    body: new URLSearchParams({ key, next: '/admin' }),
  });
}

const cookieOf = (answer: Response): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

const ask = (route: string, init: RequestInit = {}): Promise<Response> =>
  fetchWhole(`${directory.url}${route}`, { redirect: 'manual', ...init });

const send = (id: string, fields: Record<string, string>, headers: Readonly<Record<string, string>>) =>
  ask(`/admin/servers/${id}`, { method: 'POST', headers, body: new URLSearchParams(fields) });

const stateOf = async (id: string) => (await readEntry(directory.store.db, id))?.decision;

describe('the pages of the operator', () => {
  it('are for sessions of keys with the scope admin only, and never cached', async () => {
    for (const route of ['/admin', '/admin/log', '/admin/policy', '/admin/servers/good']) {
      const stranger = await ask(route);
      expect([stranger.status, stranger.headers.get('location')]).toEqual([
        303,
        `/sign-in?next=${encodeURIComponent(route)}`,
      ]);
      // A key in a header opens no page of the operator.
      const withKey = await ask(route, { headers: { authorization: `Bearer ${directory.key}` } });
      expect(withKey.status).toBe(401);
      const words = await withKey.text();
      expect(words).toContain('A key in the Authorization header is only for /v1, not for this page.');
      expect(words).toContain(`href="/sign-in?next=${encodeURIComponent(route)}"`);
    }
    expect((await ask('/sign-in?next=%2Fadmin')).status).toBe(200);
    const reader = await directory.newKey('read', 'test', 'execute');
    const refused = await signIn(reader);
    expect([refused.status, await refused.text()]).toMatchObject([403, expect.stringContaining('“admin”')]);
    const admin = await directory.newKey('admin');
    const cookie = cookieOf(await signIn(admin));
    const page = await ask('/admin', { headers: { cookie } });
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    await revokeKey(directory.store.db, keyIdIn(admin));
    expect((await ask('/admin', { headers: { cookie } })).status).toBe(303);
  });

  it('are where an operator comes who signs in without naming a page', async () => {
    expect(await (await ask('/sign-in')).text()).toContain('name="next" value="/admin"');
    const answer = await ask('/sign-in', {
      method: 'POST',
      headers: { origin: directory.url },
      body: new URLSearchParams({ key: await directory.newKey('admin') }),
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin']);
    expect((await ask('/admin', { headers: { cookie: cookieOf(answer) } })).status).toBe(200);
  });

  it('give every sign-in a session of its own', async () => {
    const known = cookieOf(await signIn(await directory.newKey('admin')));
    const [name = '', token = ''] = known.split('=');
    // A token that somebody else knows or chose is never the one of the session.
    for (const given of [known, `${name}=${'A'.repeat(token.length)}`]) {
      const next = cookieOf(await signIn(await directory.newKey('admin'), { cookie: given }));
      expect(next).not.toBe(given);
      expect((await ask('/admin', { headers: { cookie: given } })).status).toBe(303);
      expect((await ask('/admin', { headers: { cookie: next } })).status).toBe(200);
    }
  });

  it('refuse a decision that was not sent from a page of the directory', async () => {
    const cookie = cookieOf(await signIn(await directory.newKey('admin')));
    const fields = { action: 'reject', reason: 'forged' };
    const forged: Readonly<Record<string, string>>[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: directory.url, 'sec-fetch-site': 'cross-site' },
      { origin: directory.url, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of forged)
      expect((await send('good', fields, { cookie, ...headers })).status).toBe(400);
    const reader = await directory.newKey('read');
    const session = await ask('/sign-in', {
      method: 'POST',
      headers: { origin: directory.url },
      body: new URLSearchParams({ key: reader, next: '/' }),
    });
    const own = { origin: directory.url };
    for (const other of ['', cookieOf(session)])
      expect((await send('good', fields, { ...own, cookie: other })).status).not.toBe(200);
    expect(await stateOf('good')).toBe('list');
  });

  it('decide with the name of the key, and say what is wrong with a decision', async () => {
    await directory.list('decided', 'https://decided.example');
    const headers = {
      origin: directory.url,
      cookie: cookieOf(await signIn(await directory.newKey('admin'))),
    };
    for (const [fields, message] of [
      [{ action: 'hold', reason: ' ' }, 'The reason is empty'],
      [{ action: 'delete', reason: 'r' }, 'Choose a decision'],
      [{ action: 'pause', reason: 'r', until: '2020-01-01T00:00' }, 'in the future'],
      [{ action: 'pause', reason: 'r', until: '+275760-09-12T00:00' }, 'is no time'],
      [{ action: 'pause', reason: 'r', until: '9999-12-31T23:59' }, 'at most 366 days'],
      [{ action: 'hold', reason: 'a\0b' }, 'U+0000'],
    ] as const) {
      const refused = await send('decided', fields, headers);
      expect([refused.status, await refused.text()]).toMatchObject([400, expect.stringContaining(message)]);
    }
    expect(await stateOf('decided')).toBe('list');
    const held = await send(
      'decided',
      { action: 'hold', reason: 'r', publicReason: 'p', until: '' },
      headers,
    );
    expect([held.status, held.headers.get('location')]).toEqual([303, '/admin/servers/decided']);
    expect(await readEntry(directory.store.db, 'decided')).toMatchObject({
      decision: 'hold',
      public_reason: 'p',
    });
    const page = await (await ask('/servers/decided')).text();
    expect(page).toContain('Searches do not show this entry: the operator of this directory put it on hold.');
    const log = await (await ask('/admin/log', { headers })).text();
    expect(log).toContain('For everybody: <bdi>p</bdi>');
    expect(log).toContain('href="/admin/servers/decided"');
    expect((await send('nobody', { action: 'hold', reason: 'r' }, headers)).status).toBe(404);
    expect((await ask('/admin?after=%00', { headers })).status).toBe(400);
    expect((await ask('/admin/log?before=x', { headers })).status).toBe(400);
  });

  it('name the entries that need a look, with the reasons and without their markup', async () => {
    await directory.list('stale', 'https://stale.example');
    await sql`update entries set observed = 'up', is_stale = true where id = 'stale'`.execute(
      directory.store.db,
    );
    const headers = { cookie: cookieOf(await signIn(await directory.newKey('admin'))) };
    const html = await (await ask('/admin', { headers })).text();
    expect(html).toContain('the operator: &lt;script>alert(1)&lt;/script>');
    expect(html).toContain('it has the same endpoint as twin-b');
    expect(html).toContain('its last test is too old');
    expect(html).not.toContain('href="/admin/servers/good"');
    expect(html).not.toMatch(/<script>alert|<img|javascript:alert\(3\)"/);
    const policy = await (await ask('/admin/policy', { headers })).text();
    expect(policy).toContain('rejectOn: must');
  });
});

describe('the pages of the operator in a browser', unless(whyNoBrowser()), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  it.each(['light', 'dark'] as const)('work without scripts and are accessible, %s', async (colorScheme) => {
    await directory.list('in-browser', 'https://browser.example');
    await decideAsOperator(directory.store.db, 'in-browser', { action: 'hold', reason: 'r', operator: 'a' });
    const key = await directory.newKey('admin');
    const plain = await browser.newContext({ javaScriptEnabled: false, colorScheme });
    const page = await plain.newPage();
    await page.goto(`${directory.url}/admin`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'in-browser' }).click();
    // Nothing is chosen for the operator.
    expect(await page.getByLabel('Decision').inputValue()).toBe('');
    await page.getByLabel('Decision').selectOption('release');
    await page.getByLabel('Reason, for operators').fill('settled');
    await page.getByRole('button', { name: 'Decide' }).click();
    expect(await page.locator('#log').innerText()).toContain('settled');
    expect(await stateOf('in-browser')).toBe('list');
    await expectAccessible(await contextOf(plain, colorScheme), [
      '/admin',
      '/admin/log',
      '/admin/policy',
      '/admin/servers/held',
    ]);
    await plain.close();
  });

  /** With scripts, which the examination needs, and the session of the other. */
  async function contextOf(other: BrowserContext, colorScheme: 'light' | 'dark'): Promise<BrowserContext> {
    return browser.newContext({
      colorScheme,
      viewport: { width: 375, height: 700 },
      storageState: await other.storageState(),
    });
  }

  async function expectAccessible(context: BrowserContext, routes: readonly string[]): Promise<void> {
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    for (const route of routes) {
      await page.goto(`${directory.url}${route}`);
      const violations = await page.evaluate(`(async () => {
        ${axe.source}
        return (await axe.run(document)).violations.map(({ id, nodes }) => id + ' ' + nodes[0].html);
      })()`);
      expect([route, violations]).toEqual([route, []]);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect([route, width]).toEqual([route, 375]);
    }
    expect(problems).toEqual([]);
    await context.close();
  }
});
