import { createHash } from 'node:crypto';
import axe from 'axe-core';
import { sql } from 'kysely';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { checkServer, startReferenceServer } from 'probity';
import type { TestResult } from 'probity/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../../../test/report/accessibility.ts';
import { parseXml } from '../../../test/report/formats/read-xml.ts';
import { fullResult } from '../../../test/report/full-result.ts';
import { startBrowser, whyNoBrowser } from '../../../test/set-up/browser.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { keyIdIn, revokeKey } from '../../src/accounts/keys.ts';
import type { Store } from '../../src/db/open-store.ts';
import { storePolicy } from '../../src/entries/policies.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { DEFAULT_POLICY } from '../../src/settings/policy.ts';
import { type DirectoryUnderTest, fetchWhole, startDirectory } from '../directory-under-test.ts';
import {
  HOSTILE,
  HOSTILE_CAPABILITIES,
  keepCapabilities,
  keepObservations,
  keepResult,
  listing,
  newEntry,
} from '../entries/kept-entries.ts';

const ENDLESS_SECONDS = 1e9;
const UNHURRIED_READS = 5;

let open: DirectoryUnderTest;
let closed: DirectoryUnderTest;
let behindProxy: DirectoryUnderTest;
/** Like `closed`, but its rate limit is small and never starts again during the tests. */
let unhurried: DirectoryUnderTest;
let browser: Browser;
let passing: TestResult;

beforeAll(async () => {
  open = await startDirectory({ publicPages: true });
  closed = await open.another();
  behindProxy = await open.another({ publicUrl: 'https://directory.example' });
  unhurried = await open.another({
    limits: { read: { name: 'read', calls: UNHURRIED_READS, windowSeconds: ENDLESS_SECONDS } },
  });
  passing = await checkReference();
  await fill(open.store, passing);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await unhurried?.stop();
  await behindProxy?.stop();
  await closed?.stop();
  await open?.stop();
});

/** The result of a real check; its response times are recorded ones, because a busy machine would make it incomplete. */
async function checkReference(): Promise<TestResult> {
  const reference = await startReferenceServer({ form: 'B' });
  try {
    const checked = await checkServer(reference.url, { seed: 7, latency: { off: true } });
    return { ...checked, responseTimes: fullResult().responseTimes };
  } finally {
    await reference.close();
  }
}

async function fill({ db }: Store, result: TestResult): Promise<void> {
  const now = new Date();
  const many = Array.from({ length: 25 }, (_, index) =>
    newEntry(
      listing(`many-${String(index).padStart(2, '0')}`, {
        category: index % 2 === 0 ? 'Weather & maps' : 'Finance',
        tags: ['many', index % 3 === 0 ? 'C++' : 'plain'],
        audited: index % 4 === 0,
        openSource: index % 5 !== 0,
        transport: index % 6 === 0 ? ['http', 'websocket'] : ['http'],
        uptime: 100 - index,
        responseTime: 7.5 * (index + 1) ** 2,
      }),
    ),
  );
  await fillStates(db, now);
  const passed = listing('passing', {
    name: 'Reference weather',
    audited: true,
    version: '1.2.3',
    repository: 'https://git.example/reference',
    author: { name: 'Ada', contact: 'ada@example.com' },
  });
  await putEntries(
    db,
    [
      ...many,
      newEntry(passed),
      newEntry(listing('failing', { name: 'Broken maps' }), 'reject'),
      newEntry(listing('untested', { name: 'Never tested' }), 'hold', []),
      newEntry(HOSTILE),
    ],
    now,
  );
  await keepObservations(db, 'passing', now);
  await keepResult(
    db,
    'passing',
    { ...result, startedAt: new Date(now.getTime() - 1000).toISOString() },
    'list',
  );
  await keepResult(db, 'passing', { ...fullResult(), startedAt: '2026-01-31T12:00:00.000Z' }, 'hold');
  await keepCapabilities(db, 'passing', capabilitiesIn(result));
  await keepResult(db, 'failing', fullResult(), 'reject');
  await keepCapabilities(db, 'hostile', HOSTILE_CAPABILITIES);
  const [, , hostileText] = HOSTILE.tags;
  await keepResult(
    db,
    'hostile',
    {
      ...fullResult(),
      findings: fullResult().findings.map((one) => ({
        ...one,
        received: HOSTILE.name,
        curl: `curl -H "authorization: Bearer $PROBITY_TOKEN" ${HOSTILE.name}`,
      })),
      facts: [{ name: HOSTILE.name, text: hostileText ?? '' }],
    },
    'list',
  );
}

/** An entry in each state that has reasons, and one with the tools of an MCP server. */
async function fillStates(db: Store['db'], now: Date): Promise<void> {
  const ids = ['gated', 'paused', 'undecided', 'stale', 'doubted', 'tools'];
  await putEntries(
    db,
    ids.map((id) => newEntry(listing(id, { category: 'States', tags: [], protocol: 'mcp' }))),
    now,
  );
  await sql`
    update entries set observed = case id when 'gated' then 'gated' else 'up' end, is_paused = id = 'paused',
      is_undecided = id = 'undecided', is_stale = id = 'stale'
    where id = any(${ids})`.execute(db);
  const gate = {
    httpStatus: 401,
    challenge: 'Bearer realm="mail"',
    metadataUrl: 'https://gated.example/metadata',
    hasKey: false,
  };
  const doubt = {
    at: '2026-01-31T12:00:00.000Z',
    decision: 'reject',
    reason: 'status 503 for GET /health',
    looks: 1,
  };
  const details = db.updateTable('entry_details');
  const of = (id: string) => details.where('entry_id', '=', id);
  await of('gated')
    .set({ gate: JSON.stringify(gate) })
    .execute();
  await of('doubted')
    .set({ doubt: JSON.stringify(doubt) })
    .execute();
  await of('undecided')
    .set({ missing: JSON.stringify(['send: no sample input']) })
    .execute();
  await of('paused')
    .set({ paused_until: new Date('2030-01-02T03:04:00Z'), pause_reason: 'The disks are replaced.' })
    .execute();
  const tools = Array.from({ length: 13 }, (_, index) => ({
    name: `tool-${index}`,
    description: `Does what tool ${index} does, and says so in a sentence that is rather long. `.repeat(4),
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
    returns: { type: 'object', properties: {} },
    annotations: index === 1 ? { destructiveHint: true } : { readOnlyHint: true },
  }));
  await keepCapabilities(db, 'tools', { mcpVersion: '1.0', functions: tools });
  await keepObservations(db, 'tools', now);
  await keepResult(db, 'tools', { ...passing, startedAt: now.toISOString() }, 'list');
}

function capabilitiesIn({ exchanges }: TestResult): unknown {
  for (const exchange of exchanges)
    if (
      exchange.kind === 'answered' &&
      exchange.request.url.endsWith('/capabilities') &&
      exchange.response.status === 200 &&
      'text' in exchange.response.body
    )
      return JSON.parse(exchange.response.body.text);
  throw new Error('the check kept no capabilities');
}

interface Opened {
  readonly page: Page;
  readonly status: number;
  /** Script errors, violations of the Content Security Policy, and requests to other hosts. */
  readonly problems: readonly string[];
}

async function visit(
  address: string,
  options: BrowserContextOptions = {},
  from: DirectoryUnderTest = open,
): Promise<Opened> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (!/status of 4\d\d/.test(message.text())) problems.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${from.url}/`)) problems.push(`request: ${request.url()}`);
  });
  const answer = await page.goto(`${from.url}${address}`);
  return { page, status: answer?.status() ?? 0, problems };
}

const ask = (from: DirectoryUnderTest, address: string, init: RequestInit = {}): Promise<Response> =>
  fetchWhole(`${from.url}${address}`, { redirect: 'manual', ...init });

const PAGES = [
  '/',
  '/?q=server&tags=many&minUptime=90&audited=true',
  '/?q=nothing+like+it&openSource=true',
  '/?minUptime=x&colour=red&transport=smoke',
  '/servers/passing',
  '/servers/failing',
  '/servers/untested',
  '/servers/hostile',
  '/servers/tools',
  '/servers/gated',
  '/servers/nope',
  '/elsewhere',
] as const;

describe('every page', unless(whyNoBrowser()), () => {
  test.each(PAGES)('%s is accessible, in both themes, and fits a phone', async (address) => {
    const { page, problems } = await visit(address, { colorScheme: 'light' });
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test.each(PAGES)('%s has a strict Content Security Policy', async (address) => {
    const answer = await ask(open, address, { headers: { accept: 'text/html' } });
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('same-origin');
    const html = await answer.text();
    for (const [, kind, text] of html.matchAll(/<(script|style)>([\s\S]*?)<\/\1>/g)) {
      const hash = createHash('sha256')
        .update(text ?? '')
        .digest('base64');
      expect(policy).toContain(`${kind}-src 'sha256-${hash}'`);
    }
  });
});

describe('the search page', unless(whyNoBrowser()), () => {
  test('shows the results of the API, in the same order and on pages', async () => {
    const key = await open.newKey('read');
    const api = await ask(open, '/v1/servers/search', { headers: { authorization: `Bearer ${key}` } });
    const { servers } = (await api.json()) as { servers: { id: string }[] };
    const { page } = await visit('/', { javaScriptEnabled: false });
    const ids = (): Promise<string[]> =>
      page
        .locator('.entry h2 a')
        .evaluateAll((links) =>
          links.map((link: { getAttribute(name: string): string | null }) => link.getAttribute('href') ?? ''),
        );
    expect(await ids()).toEqual(servers.map(({ id }) => `/servers/${id}`));
    expect(await page.locator('#count').innerText()).toBe('1–20 of 33 servers');
    await page.getByRole('link', { name: /^Next 13/ }).click();
    expect(await page.locator('#count').innerText()).toBe('21–33 of 33 servers');
    expect(await ids()).toHaveLength(13);
    await page.getByRole('link', { name: /^Previous 20/ }).click();
    expect(page.url()).toBe(`${open.url}/`);
  });

  test.each(['q', 'category', 'tags', 'status', 'sort', 'minUptime', 'limit', 'offset', 'colour'])(
    'show controls and changes of direction of the parameter %s escaped',
    async (name) => {
      for (const path of ['/', '/registry']) {
        const answer = await ask(open, `${path}?${name}=a%00%1B%E2%80%AEb&search=%00%E2%80%AE`);
        const html = await answer.text();
        expect(html).not.toMatch(/[\0-\x08\x0b-\x1f\u202a-\u202e]/);
      }
    },
  );

  test('begins with an overview, whose links narrow the search', async () => {
    const { page } = await visit('/', { javaScriptEnabled: false });
    const newest = page.getByRole('region', { name: 'Newest' });
    expect(await newest.getByRole('listitem').count()).toBe(5);
    const changed = page.getByRole('region', { name: 'Changed their state' });
    expect(await changed.getByRole('listitem').first().innerText()).toContain('Reference weather');
    const glance = page.getByRole('region', { name: 'Overview' });
    await glance.getByRole('link', { name: 'Wants a key' }).click();
    expect(page.url()).toBe(`${open.url}/?status=gated`);
    expect(await page.locator('#count').innerText()).toBe('One server');
    expect(await page.getByRole('region', { name: 'Overview' }).count()).toBe(0);
    await page.goto(`${open.url}/?q=server`);
    await page.getByText('Narrow by').click();
    const category = page.getByRole('list', { name: 'Category', exact: true }).getByRole('listitem');
    expect(await category.allInnerTexts()).toEqual(['Weather & maps 13', 'Finance 12', 'States 6']);
    await page.getByRole('link', { name: 'Finance', exact: true }).first().click();
    expect(page.url()).toBe(`${open.url}/?q=server&category=finance`);
    expect(await page.locator('#count').innerText()).toBe('12 servers');
  });

  test('has the name, the contact and the rules of the operator on each page', async () => {
    const operator = { name: 'Ada & Co', contact: 'ada@example.com', rules: 'https://rules.example/' };
    await storePolicy(open.store.db, { ...DEFAULT_POLICY, operator });
    const { page, problems } = await visit('/servers/passing');
    await expect
      .poll(async () => {
        await page.reload();
        return page.locator('footer').count();
      })
      .toBe(1);
    expect(await page.locator('footer').innerText()).toContain('Operated by Ada & Co');
    expect(await page.getByRole('link', { name: 'ada@example.com' }).last().getAttribute('href')).toBe(
      'mailto:ada@example.com',
    );
    await page.goto(`${open.url}/servers/nope`);
    expect(await page.locator('footer').innerText()).toContain('https://rules.example/');
    expect(problems).toEqual([]);
  });

  test('filters with its form, without scripts and with the keyboard only', async () => {
    const { page } = await visit('/', { javaScriptEnabled: false });
    await page.getByLabel('Search text').focus();
    await page.keyboard.type('server');
    await page.getByText('Filters', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Category' }).fill('finance');
    await page.getByLabel('Tags (all of them)').fill('many, plain');
    await page.getByLabel('Minimum uptime, %').fill('80');
    await page.getByRole('combobox', { name: 'Source' }).selectOption('open');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('audited') === '');
    expect(await page.locator('#count').innerText()).toBe('6 servers');
    expect(await page.getByRole('textbox', { name: 'Category' }).inputValue()).toBe('finance');
    expect(await page.getByRole('combobox', { name: 'Source' }).inputValue()).toBe('true');
    await page.getByRole('link', { name: 'Remove category “finance”' }).click();
    expect(new URL(page.url()).search).toBe('?q=server&tags=many%2C+plain&minUptime=80&openSource=true');
  });

  test('links a tag to all servers that have it', async () => {
    const { page } = await visit('/?tags=many');
    await page.getByRole('link', { name: 'C++' }).first().click();
    expect(await page.locator('#count').innerText()).toBe('9 servers');
    await page.getByRole('link', { name: 'Weather & maps' }).first().click();
    expect(await page.locator('#count').innerText()).toBe('13 servers');
  });

  test('reports that nothing matches, and offers to remove filters', async () => {
    const { page, status } = await visit('/?q=nowhere&tags=many', { javaScriptEnabled: false });
    expect(status).toBe(200);
    expect(await page.locator('main').innerText()).toContain('No server matches');
    await page.getByRole('link', { name: 'Remove the text “nowhere”' }).click();
    expect(await page.locator('#count').innerText()).toBe('1–20 of 25 servers');
  });

  test('shows the problem of each invalid field', async () => {
    const { page, status } = await visit('/?minUptime=101&colour=red&transport=smoke&q=still');
    expect(status).toBe(400);
    expect(await page.locator('#minUptime-problem').innerText()).toBe('It must be from 0 to 100.');
    expect(await page.getByLabel('Minimum uptime, %').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Minimum uptime, %').inputValue()).toBe('101');
    expect(await page.getByRole('combobox', { name: 'Transport' }).inputValue()).toBe('smoke');
    expect(await page.getByLabel('Search text').inputValue()).toBe('still');
    expect(await page.getByRole('alert').innerText()).toContain('colour is not a search parameter');
  });

  test('links from a page past the end to the last page', async () => {
    const { page } = await visit('/?offset=500');
    await page.getByRole('link', { name: 'Show the last page' }).click();
    expect(await page.locator('#count').innerText()).toBe('21–33 of 33 servers');
  });
});

describe('the page of an entry', unless(whyNoBrowser()), () => {
  test('shows a server that passes', async () => {
    const { page } = await visit('/servers/passing', { javaScriptEnabled: false });
    const text = await page.locator('main').innerText();
    for (const part of ['Reference weather', 'Up', '99.87 %', '17.3 ms', 'listed', 'Observed:', 'PASS'])
      expect(text).toContain(part);
    expect(await page.getByRole('img', { name: /^Uptime of 30 days: 2\d observed/ }).count()).toBe(1);
    expect(await page.locator('.day').count()).toBe(30);
    for (const operation of ['health', 'capabilities', 'execute'])
      expect(await page.getByRole('img', { name: `Response times of ${operation}: min` }).count()).toBe(1);
    await page.locator('#latency > summary').click();
    expect(await page.getByRole('img', { name: /^Latency by percentile of health/ }).count()).toBe(1);
    expect(await page.locator('#requirements tbody tr').count()).toBe(passing.results.length);
    expect(await page.locator('.function').count()).toBeGreaterThan(2);
    expect(await page.locator('.history tbody tr').count()).toBe(2);
    expect(await page.locator('#listing .broken').count()).toBe(5);
    expect(await page.getByRole('link', { name: 'https://git.example/reference' }).getAttribute('rel')).toBe(
      'nofollow noopener noreferrer',
    );
  });

  test('shows the tools of an MCP server on three screens, with what they say of themselves', async () => {
    const { page } = await visit('/servers/tools', { javaScriptEnabled: false });
    await page.setViewportSize({ width: 1200, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(3 * 900);
    expect(await page.getByRole('heading', { name: 'Tools', exact: true }).count()).toBe(1);
    const lines = await page.locator('.function summary').allInnerTexts();
    expect(lines).toHaveLength(13);
    expect(lines[0]).toMatch(/^tool-0\s+only reads\s+Does what/);
    expect(lines[1]).toMatch(/^tool-1\s+may delete or overwrite\s+Does what/);
  });

  test.each([
    [
      'gated',
      'Wants a key',
      ['status 401', 'Bearer realm="mail"', 'https://gated.example/metadata', 'no key for it'],
    ],
    ['paused', 'Paused', ['until 2030-01-02 03:04 UTC', 'The disks are replaced.']],
    ['undecided', 'Undecided', ['What is missing', 'send: no sample input']],
    ['stale', 'Stale', ['it was not tested yet']],
    ['doubted', 'Up', ['In doubt. A test at 2026-01-31 12:00 UTC saw: status 503', 'is rejected']],
  ])('says why an entry is %s, on its page and its badge', async (id, words, reasons) => {
    const { page } = await visit(`/servers/${id}`, { javaScriptEnabled: false });
    expect(await page.locator('h1 .mark').innerText()).toContain(words);
    const text = await page.locator('.state').innerText();
    for (const reason of reasons) expect(text).toContain(reason);
    const badge = await (await ask(open, `/servers/${id}/badge.svg`)).text();
    expect(badge).toContain(id === 'doubted' ? 'listed' : words.toLowerCase());
    const found = await visit(`/?q=${id}&sort=name`, { javaScriptEnabled: false });
    expect(await found.page.locator('.entry h2').first().innerText()).toContain(words);
  });

  test('shows a command that calls a function', async () => {
    const { page } = await visit('/servers/passing');
    const [name = ''] = await page.locator('.function summary code').allInnerTexts();
    const command = await page.locator('.function pre code').first().textContent();
    expect(command).toContain(`curl -sS ${`'${open.url}/v1/servers/passing/execute'`}`);
    expect(command).toContain('"Authorization: Bearer $PROBITY_TOKEN"');
    const [, body = ''] = /--data-binary '(.*)'$/.exec(command ?? '') ?? [];
    expect(JSON.parse(body)).toMatchObject({ function: name, input: {} });
  });

  test('shows why a server fails, with failed requirements first', async () => {
    const { page } = await visit('/servers/failing');
    expect(await page.locator('.decision').innerText()).toContain('rejected');
    const first = page.locator('details.broken').first();
    const text = await first.innerText();
    for (const part of ['health/failed-must', 'status 200', 'status 503', 'Why it matters', 'How to fix it'])
      expect(text).toContain(part);
    const headings = await page.locator('h2').allInnerTexts();
    expect(headings.indexOf('Listing')).toBe(0);
  });

  test('shows what is missing for a server without observations', async () => {
    const { page } = await visit('/servers/untested');
    const text = await page.locator('main').innerText();
    for (const part of [
      'on hold',
      'Unknown',
      'Claimed by its author',
      'not been tested yet',
      'No functions are known',
      'No data yet',
    ])
      expect(text).toContain(part);
  });

  test('answers an unknown id with a page', async () => {
    for (const address of ['/servers/nope', '/servers/..%2f..%2fv1', `/servers/${'x'.repeat(180)}`]) {
      const answer = await ask(open, address);
      expect([address, answer.status]).toEqual([address, 404]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.text()).toContain('Server not found');
    }
    expect((await ask(open, '/elsewhere', { headers: { accept: 'text/html' } })).status).toBe(404);
    const json = await ask(open, '/elsewhere', { headers: { accept: 'application/json' } });
    expect(json.headers.get('content-type')).toContain('application/problem+json');
    const api = await ask(open, '/v1/elsewhere', { headers: { accept: 'text/html' } });
    expect(api.headers.get('content-type')).toContain('application/problem+json');
  });

  test('shows markup, invisible characters and unsafe addresses as text', async () => {
    const { page, problems } = await visit('/servers/hostile');
    expect(await page.locator('img').count()).toBe(1);
    expect(await page.locator('script').count()).toBe(1);
    const text = await page.locator('main').innerText();
    expect(text).toContain('<script>alert(2)</script>');
    expect(text).toContain('\\u{202E}\\u{7}\\u{200B}');
    expect(text).not.toMatch(/[\u0007\u200B\u202E]/);
    const links = await page
      .locator('main a')
      .evaluateAll((all) =>
        all.map((link: { getAttribute(name: string): string | null }) => link.getAttribute('href') ?? ''),
      );
    expect(links.filter((href) => !/^(\/|#)/.test(href))).toEqual([]);
    const live = await page.evaluate(`[...document.querySelectorAll('*')].flatMap(({ attributes }) =>
      [...attributes].filter(({ name }) => name.startsWith('on') || name === 'style').map(({ name }) => name))`);
    expect(live).toEqual([]);
    // No shown command sends the reader's key to the target.
    const commands = await page.locator('.command code').allTextContents();
    expect(
      commands.filter((command) => /(?<!Bearer )\$PROBITY/.test(command.replaceAll(/'[^']*'/g, ''))),
    ).toEqual([]);
    expect(commands.some((command) => command.includes('Bearer $TARGET_TOKEN'))).toBe(true);
    expect(problems).toEqual([]);
    const search = await visit('/?q=hostile');
    expect(await search.page.locator('.entry').count()).toBe(1);
    expect(search.problems).toEqual([]);
  });

  test('copies a command, and confirms it', async () => {
    const { page } = await visit('/servers/passing', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator('#badge > summary').click();
    await page.getByRole('button', { name: 'Copy: Markdown' }).click();
    await expect.poll(() => page.locator('p[role=status]').innerText()).toBe('Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `[![MCP directory](${open.url}/servers/passing/badge.svg)](${open.url}/servers/passing)`,
    );
  });

  test('prints without navigation, buttons and forms', async () => {
    const { page } = await visit('/servers/passing');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('nav:visible, button:visible, form:visible').count()).toBe(0);
  });
});

describe('claimed figures', unless(whyNoBrowser()), () => {
  const figuresOf = async (address: string, media: 'screen' | 'print' = 'screen') => {
    const { page } = await visit(address, { javaScriptEnabled: false });
    await page.emulateMedia({ media });
    const figures = page.locator('main :is(.entry, .standing)').locator('.figures > div:nth-child(-n + 2)');
    return figures.allInnerTexts();
  };
  const CLAIMED = [/^Uptime\s+100 % \(claimed\)$/, /^Response time\s+7.5 ms \(claimed\)$/];
  const OBSERVED = [/^Uptime\s+99.87 %$/, /^Response time\s+17.3 ms$/];

  test.each([
    ['/?q=many-00', 'screen', CLAIMED],
    ['/?q=many-00', 'print', CLAIMED],
    ['/servers/many-00', 'screen', CLAIMED],
    ['/servers/many-00', 'print', CLAIMED],
    ['/?q=reference', 'screen', OBSERVED],
    ['/servers/passing', 'screen', OBSERVED],
  ] as const)('are marked as such: %s on %s', async (address, media, expected) => {
    expect(await figuresOf(address, media)).toEqual(expected.map((one) => expect.stringMatching(one)));
  });

  test('are not shown by the badge of their page', async () => {
    const { page } = await visit('/servers/many-00', { javaScriptEnabled: false });
    expect(await page.locator('img.badge').getAttribute('alt')).toBe('MCP: listed');
  });
});

describe('the badge', unless(whyNoBrowser()), () => {
  test.each([
    ['passing', 'listed · 99.87 %'],
    ['failing', 'rejected'],
    ['untested', 'on hold'],
    ['many-00', 'listed'],
  ])('of %s says: %s', async (id, message) => {
    const answer = await ask(open, `/servers/${id}/badge.svg`);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(parseXml(await answer.text()).children[0]).toMatchObject({
      name: 'title',
      text: `MCP: ${message}`,
    });
    const again = await ask(open, `/servers/${id}/badge.svg`, {
      headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test('requires a key when the pages do', async () => {
    expect((await ask(closed, '/servers/passing/badge.svg')).status).toBe(401);
    expect((await ask(open, '/servers/nope/badge.svg')).status).toBe(404);
  });
});

describe('caching', unless(whyNoBrowser()), () => {
  test('is shared for public pages, and private for others', async () => {
    const unobserved = '/servers/many-00';
    const first = await ask(open, unobserved);
    expect(first.headers.get('cache-control')).toBe('public, max-age=30');
    const etag = first.headers.get('etag') ?? '';
    expect((await ask(open, unobserved, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const key = await open.newKey('read');
    const own = await ask(closed, '/servers/passing', { headers: { authorization: `Bearer ${key}` } });
    expect(own.status).toBe(200);
    expect(own.headers.get('cache-control')).toBe('private, max-age=0, must-revalidate');
    expect(own.headers.get('vary')).toBe('Authorization, Cookie');
  });
});

describe('signing in', unless(whyNoBrowser()), () => {
  const form = (
    from: DirectoryUnderTest,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) =>
    ask(from, '/sign-in', {
      method: 'POST',
      headers: { origin: from.url, ...headers },
      body: new URLSearchParams(fields),
    });

  test('works without scripts: sign in, read, sign out', async () => {
    const key = await open.newKey('read');
    const { page } = await visit('/servers/passing', { javaScriptEnabled: false }, closed);
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await page.getByLabel('API key').fill(`${key}x`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.locator('#key-problem').innerText()).toContain('is unknown');
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(page.url()).toBe(`${closed.url}/servers/passing`);
    expect(await page.locator('h1').innerText()).toContain('Reference weather');
    await page.locator('#badge > summary').click();
    expect(await page.locator('#badge').innerText()).toContain('require an API key');
    await expect
      .poll(() => page.evaluate("document.querySelector('img.badge').naturalWidth"))
      .toBeGreaterThan(50);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/', secure: false });
    expect(JSON.stringify(cookie)).not.toContain(key);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    expect(await page.context().cookies()).toEqual([]);
    await page.goto(`${closed.url}/`);
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });

  test('has an accessible page that is not cached', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, problems } = await visit('/sign-in?next=%2Fservers%2Fpassing', { colorScheme }, closed);
      const violations = await page.evaluate(`(async () => {
        ${axe.source}
        return (await axe.run(document)).violations.map(({ id }) => id);
      })()`);
      expect(violations).toEqual([]);
      expect(problems).toEqual([]);
    }
    expect((await ask(closed, '/sign-in')).headers.get('cache-control')).toBe('no-store');
  });

  test('sets a cookie for this host only', async () => {
    const key = await open.newKey('read');
    const plain = await form(closed, { key });
    expect(plain.headers.get('set-cookie')).toMatch(
      /^probity-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const secure = await form(behindProxy, { key }, { origin: 'https://directory.example' });
    expect(secure.headers.get('set-cookie')).toMatch(
      /^__Host-probity-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/servers/x/../../..//evil.example',
    '/sign-out',
    'javascript:alert(1)',
    '/?a\r\nset-cookie: b=c',
  ])('does not redirect to another site: %s', async (next) => {
    const key = await open.newKey('read');
    expect((await form(closed, { key, next })).headers.get('location')).toBe('/');
    const html = await (await ask(closed, `/sign-in?next=${encodeURIComponent(next)}`)).text();
    expect(html).toContain('name="next" value="/"');
    expect((await ask(open, `/sign-in?next=${encodeURIComponent(next)}`)).headers.get('location')).toBe('/');
  });

  test('continues to the requested page', async () => {
    const answer = await ask(closed, '/?q=a&tags=b%2Cc');
    expect(answer.status).toBe(303);
    const location = answer.headers.get('location') ?? '';
    expect(location).toBe('/sign-in?next=%2F%3Fq%3Da%26tags%3Db%252Cc');
    const key = await open.newKey('read');
    const next = new URLSearchParams(location.split('?')[1]).get('next') ?? '';
    expect((await form(closed, { key, next })).headers.get('location')).toBe('/?q=a&tags=b%2Cc');
  });

  test('accepts forms only from pages of the directory', async () => {
    const key = await open.newKey('read');
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${closed.url}.evil.example` },
      { origin: closed.url, 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await form(closed, { key }, headers);
      expect([headers, answer.status, answer.headers.get('set-cookie')]).toEqual([headers, 400, null]);
      const out = await ask(closed, '/sign-out', { method: 'POST', headers });
      expect(out.status).toBe(400);
    }
    const without = await ask(closed, '/sign-in', { method: 'POST', body: new URLSearchParams({ key }) });
    expect(without.status).toBe(400);
    expect((await ask(closed, '/sign-out')).status).toBe(404);
  });

  test('opens a session that ends with its key and uses its limit', async () => {
    const key = await open.newKey('read');
    const cookie = (await form(unhurried, { key })).headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const read = (): Promise<Response> => ask(unhurried, '/', { headers: { cookie } });
    // Signing in counts too.
    for (let left = UNHURRIED_READS - 2; left >= 0; left -= 1)
      expect((await read()).headers.get('ratelimit')).toContain(`"read";r=${left}`);
    const refused = await read();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toContain('text/html');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await revokeKey(open.store.db, keyIdIn(key));
    expect((await read()).status).toBe(303);
  });

  test('stores only the digest of the session token', async () => {
    const key = await open.newKey('read');
    const token =
      /=([\w-]{43})/.exec((await form(closed, { key })).headers.get('set-cookie') ?? '')?.[1] ?? '';
    const { rows: kept } = await sql<{ hash: Buffer }>`
      select * from sessions where key_id = ${keyIdIn(key)}`.execute(open.store.db);
    expect(kept).toHaveLength(1);
    expect(kept[0]?.hash.equals(createHash('sha256').update(token).digest())).toBe(true);
    expect(JSON.stringify(kept)).not.toContain(token);
  });

  test('refuses a key without the scope read', async () => {
    const key = await open.newKey('test');
    const answer = await form(closed, { key });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    expect((await form(closed, { key: '<b>' })).status).toBe(401);
    expect((await form(closed, { key: 'x'.repeat(20_000) })).status).toBe(413);
  });
});
