import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { renderHtml } from '../../src/report/formats/html.tsx';
import { readReport } from '../../src/report/read-report.ts';
import { startBrowser, whyNoBrowser } from '../set-up/browser.ts';
import { unless } from '../set-up/skips.ts';
import { expectAccessible } from './accessibility.ts';
import { fullResult, resultWithBaseline } from './full-result.ts';
import { finding, resultOf, row } from './results.ts';

let browser: Browser;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'probity-html-'));
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** Script errors, violations of the Content Security Policy, and requests other than that for the page. */
  readonly problems: readonly string[];
}

let pages = 0;
/** The page as a reader opens it: from a file. */
async function open(result: TestResult, options: BrowserContextOptions = {}): Promise<Opened> {
  pages += 1;
  const file = path.join(folder, `${pages}.html`);
  const [html] = renderHtml(result);
  await writeFile(file, html?.text ?? '');
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => problems.push(`console: ${message.text()}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) problems.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  return { page, problems };
}

const PASSING = resultOf([row('health/status-200', 'passed', { text: 'GET /health answers 200' })]);
const UNREACHABLE = resultOf([row('health/reachable', 'undecided')], {
  reachable: false,
  findings: [finding('health/reachable', { outcome: 'undecided', fault: 'network', curl: null })],
});

const LOAD: TestResult = {
  ...fullResult(),
  results: [],
  findings: [],
  bench: {
    overhead: { count: 100, percentiles: [{ percentile: 'p50', valueMs: 0.02, intervalMs: [0.01, 0.03] }] },
    phases: null,
    warmUp: { count: 10, durationMs: 400, steady: true },
  },
};

/** A finding about a member of an answer, which contains this text. */
function answered(text: string, padding = ''): TestResult {
  const where = { ...finding('a/b').where, exchange: 'health/read#0', pointer: '/note' };
  return resultOf([row('health/note', 'failed')], {
    findings: [finding('health/note', { where })],
    exchanges: [
      {
        kind: 'answered',
        request: {
          key: 'health/read#0',
          method: 'GET',
          url: 'http://127.0.0.1:3000/health',
          headers: [],
          body: null,
        },
        response: {
          status: 503,
          headers: [['x-note', text]],
          body: { text: JSON.stringify({ before: padding, note: text, after: padding }) },
          repeatedSecrets: [],
          oddities: [],
        },
        connection: { reused: false, tls: null },
        timing: { startedAtMs: 0, connectMs: 1, firstByteMs: 2, durationMs: 2.5 },
      },
    ],
  });
}

/** Two requirements that passed by an exchange, which contains this text. */
function passedBy(text: string): TestResult {
  const decidedBy = { exchange: 'health/read#0', count: 3 };
  return {
    ...answered(text),
    ...resultOf([
      row('health/operational', 'passed', { decidedBy }),
      row('health/status-string', 'passed', { decidedBy }),
      row('health/uptime-number', 'passed', { decidedBy: { exchange: 'health/unknown#0', count: 1 } }),
    ]),
    exchanges: answered(text).exchanges,
  };
}

describe('the HTML report', unless(whyNoBrowser()), () => {
  test.each<[string, TestResult]>([
    ['with everything', fullResult()],
    ['with a baseline', resultWithBaseline()],
    ['with an answer', answered('the place')],
    ['of a pass', PASSING],
    ['of a target that was not reached', UNREACHABLE],
    ['of a load', LOAD],
  ])('%s is accessible, in both themes', async (_, result) => {
    const { page, problems } = await open(result, { colorScheme: 'light' });
    // The page forbids foreign scripts, but the browser's tools are not affected.
    await expectAccessible(page);
    expect(problems).toEqual([]);
  });

  test('shows what to fix first, with what was expected and received, and the command', async () => {
    const { page } = await open(fullResult());
    const first = page.locator('details.broken').first();
    await expect.poll(() => first.getAttribute('open')).not.toBeNull();
    const text = await first.innerText();
    for (const part of [
      'health/failed-must',
      'status 200',
      'status 503',
      'curl -sS',
      'probity check',
      'MUST',
    ])
      expect(text).toContain(part);
    const ids = await page.locator('details.broken > summary code.id').allInnerTexts();
    expect(ids[0]).toBe('health/failed-must');
  });

  test('shows one card for each cause, and keeps the findings of what else it explains', async () => {
    const { page } = await open(fullResult());
    const first = page.locator('details.broken').first();
    expect(await first.locator('> summary').innerText()).toMatch(
      /2 functions; also explains \d+ requirements$/,
    );
    await first.locator('.others > summary').click();
    const other = first.locator('#fix-execute-failed-should');
    await other.locator('> summary').click();
    expect(await other.locator('.evidence:visible').count()).toBe(2);
    for (const { id, because } of fullResult().findings)
      if (because !== 'not-exercised')
        expect(await page.locator(`#fix-${id.replace('/', '-')}`).count()).toBe(1);
  });

  test('shows a target that was not reached as one card, with everything else folded', async () => {
    const { page } = await open(UNREACHABLE);
    expect(await page.locator('#fix > .box').count()).toBe(1);
    expect(await page.locator('#fix > .box').innerText()).toContain('Check the address: ');
    expect(await page.locator('.broken:visible, #requirements tr:visible').count()).toBe(0);
  });

  test('folds the areas in which everything that applies passed, and counts without the rest', async () => {
    const { page } = await open(
      resultOf([
        row('health/a', 'passed'),
        row('health/b', 'inapplicable'),
        row('execute/a', 'failed'),
        row('execute/b', 'passed'),
      ]),
    );
    const areas = page.locator('#requirements details.area');
    expect(await areas.locator('> summary').allInnerTexts()).toEqual([
      'health 1 of 1 passed',
      'execute 1 of 2 passed',
    ]);
    expect(await areas.nth(0).getAttribute('open')).toBeNull();
    expect(await areas.nth(1).getAttribute('open')).not.toBeNull();
    await page.locator('.overview a', { hasText: 'health' }).click();
    await expect.poll(() => areas.nth(0).getAttribute('open')).not.toBeNull();
  });

  test('a count filters the requirements, and the address reproduces the filter', async () => {
    const { page } = await open(fullResult());
    const shown = (on: Page): Promise<number> => on.locator('#requirements tbody tr:visible').count();
    await page.locator('.counts a', { hasText: 'undecided' }).click();
    await expect.poll(() => shown(page)).toBe(9);
    await page.getByRole('searchbox').fill('SHOULD');
    expect(await shown(page)).toBe(3);
    const again = await page.context().newPage();
    await again.goto(page.url());
    expect(await again.getByRole('searchbox').inputValue()).toBe('SHOULD');
    expect(await shown(again)).toBe(3);
    await page.locator('.counts a', { hasText: 'undecided' }).click();
    await expect.poll(() => shown(page)).toBe(18);
  });

  test('shows a count of 0 without the colour of failures', async () => {
    const { page } = await open(PASSING);
    const none = page.locator('.counts li', { hasText: '0 failed' });
    expect(await none.getAttribute('class')).toBe('none');
    expect(await none.locator('a').count()).toBe(0);
  });

  test('filters the requirements by outcome and by words, by keyboard alone', async () => {
    const { page } = await open(fullResult());
    const shown = (): Promise<number> => page.locator('#requirements tbody tr:visible').count();
    expect(await shown()).toBe(18);
    await page.getByRole('checkbox', { name: 'passed' }).focus();
    await page.keyboard.press('Space');
    expect(await shown()).toBe(15);
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('blocked SHOULD');
    expect(await shown()).toBe(1);
    expect(await page.locator('[data-count]').innerText()).toBe('1 shown');
    expect(await page.locator('#requirements table:visible').count()).toBe(1);
  });

  test('copies a command, and says so', async () => {
    const { page } = await open(fullResult(), { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy: Repeat the request' }).first().click();
    await expect.poll(() => page.locator('p[role=status]').innerText()).toBe('Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(finding('x').curl);
  });

  test('is complete without scripts', async () => {
    const { page } = await open(fullResult(), { javaScriptEnabled: false });
    expect(await page.locator('#requirements tbody tr:visible').count()).toBe(18);
    expect(await page.locator('button:visible, form:visible').count()).toBe(0);
  });

  test('a link to a closed requirement opens it', async () => {
    const { page } = await open(fullResult());
    const last = page.locator('details.other').last();
    expect(await last.getAttribute('open')).toBeNull();
    const id = await last.getAttribute('id');
    await page.locator(`#requirements a[href="#${id}"]`).click();
    await expect.poll(() => last.getAttribute('open')).not.toBeNull();
  });

  test('fits a phone: nothing is wider than the screen', async () => {
    const { page } = await open(resultWithBaseline(), { viewport: { width: 360, height: 740 } });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
  });

  test('shows the times as pictures with their intervals, and names unreliable figures', async () => {
    const { page } = await open(fullResult());
    const names = await page
      .locator('figure svg[role="img"]')
      .evaluateAll((pictures: readonly { getAttribute(name: string): string | null }[]) =>
        pictures.map((picture) => picture.getAttribute('aria-label') ?? ''),
      );
    expect(names).toHaveLength(4);
    expect(names[0]).toMatch(/^Latency by percentile of health: p50 [\d.]+ ms, p90 .* ms$/);
    // p50, p90, p95 and p99 of 400 calls; of 60 only the first two.
    expect(await page.locator('figure').nth(0).locator('.intervals circle').count()).toBe(4);
    expect(await page.locator('figure').nth(1).locator('.intervals circle').count()).toBe(2);
    expect(await page.locator('#latency').innerText()).toContain('the client was held up for 8 ms');
  });

  test('draws the budgets near the measured times, and names the others', async () => {
    const result = fullResult();
    const latency = {
      ...result.settings.latency,
      budgets: [
        { operation: 'health', function: null, figure: 'p50', limit: { ms: 40 } },
        { operation: 'health', function: null, figure: 'p95', limit: { ms: 2 } },
        { operation: 'health', function: null, figure: 'max', limit: { ms: 9000 } },
        { operation: 'execute', function: 'forecast', figure: 'p50', limit: { timesHealth: 20 } },
      ] as const,
    };
    const { page } = await open({ ...result, settings: { ...result.settings, latency } });
    const [health, forecast] = [page.locator('figure').nth(0), page.locator('figure').nth(1)];
    expect(await health.locator('.budget text').allTextContents()).toEqual(['40 ms', '2 ms', '2000 ms']);
    expect(await health.locator('.budget.over text').allTextContents()).toEqual(['2 ms']);
    expect(await health.innerText()).toContain(
      'budgets: p50 at most 40 ms, p95 at most 2 ms, exceeded, p99 at most 2000 ms',
    );
    expect(await health.innerText()).toContain('budgets outside the picture: max at most 9000 ms');
    expect(await forecast.locator('.budget').count()).toBe(1);
    expect(await forecast.innerText()).toMatch(/p50 at most [\d.]+ ms \(20 times that of \/health\)/);
  });

  test('draws no budgets of a load, which judges none', async () => {
    const { page } = await open(LOAD);
    expect(await page.locator('figure').count()).toBeGreaterThan(0);
    expect(await page.locator('#latency').innerText()).not.toContain('budget');
  });

  test('a saved histogram that is invalid only leaves out the pictures', async () => {
    const result = fullResult();
    const responseTimes = result.responseTimes.map((times) => ({ ...times, histogram: 'bm9uZQ==' }));
    const { page } = await open({ ...result, responseTimes });
    expect(await page.locator('figure').count()).toBe(0);
    expect(await page.locator('#latency table').count()).toBe(2);
  });

  test('texts that are markup stay text', async () => {
    const hostile =
      '"><img src=x onerror=alert(1)></script><script>alert(2)</script><style>*{display:none}</style>\u202E';
    const result = fullResult();
    const { page, problems } = await open({
      ...result,
      target: { ...result.target, name: hostile },
      findings: result.findings.map((one) => ({ ...one, received: hostile, curl: hostile })),
      samples: [{ function: hostile, input: { [hostile]: hostile }, output: hostile, durationMs: 1 }],
      facts: [{ name: hostile, text: hostile }],
    });
    expect(problems).toEqual([]);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('.received').first().innerText()).toBe(hostile.replace('\u202E', '\\u{202E}'));
  });

  test('shows the answer behind a finding, with the place marked, and every text of it as text', async () => {
    const hostile = '<img src=x onerror=alert(1)></pre>\u202E';
    const { page, problems } = await open(answered(hostile));
    const answer = page.locator('details.answer').first();
    await answer.locator('> summary').click();
    expect(await answer.innerText()).toContain('GET /health: status 503, 2.500 ms');
    const shown = hostile.replace('\u202E', '\\u{202E}');
    expect(await answer.locator('mark').innerText()).toBe(`"${shown}"`);
    expect(await answer.locator('code').innerText()).toContain(`x-note: ${shown}`);
    expect(await page.locator('img').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('unfolds the exchange behind a passed requirement in its place, with every text as text', async () => {
    const hostile = '<img src=x onerror=alert(1)></pre>\u202E';
    const { page, problems } = await open(passedBy(hostile));
    const row = page.locator('#requirements tr', { hasText: 'health/operational' });
    await page.locator('#area-health > summary').click();
    const link = row.getByRole('link', { name: 'GET /health and 2 more' });
    await link.click();
    const shown = hostile.replace('\u202E', '\\u{202E}');
    expect(await row.locator('pre').innerText()).toContain(`x-note: ${shown}`);
    expect(await row.locator('summary').innerText()).toBe('GET /health: status 503, 2.500 ms');
    await link.click();
    expect(await row.locator('pre').count()).toBe(0);
    // Several requirements share it.
    expect(await page.locator('.exchanges details').count()).toBe(1);
    expect(await page.locator('img').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('links to the exchange behind a passed requirement without scripts', async () => {
    const { page } = await open(passedBy('the note'), { javaScriptEnabled: false });
    const link = page.locator('#requirements [href="#x-1"]').first();
    await page.goto(`${page.url()}${await link.getAttribute('href')}`);
    expect(await page.locator('#x-1:visible').innerText()).toContain('x-note: the note');
  });

  test('cuts a long answer around the place', async () => {
    const { page } = await open(answered('the place', 'y'.repeat(100_000)));
    expect(await page.locator('details.answer mark').textContent()).toBe('"the place"');
    expect((await page.locator('details.answer').textContent())?.length).toBeLessThan(1500);
  });

  test('the links to sections stay in sight and cover nothing that a link leads to, also on a phone', async () => {
    const { page } = await open(fullResult(), {
      viewport: { width: 375, height: 600 },
      reducedMotion: 'reduce',
    });
    await page.locator('.sections a', { hasText: 'Details' }).click();
    await page.locator('.sections a', { hasText: 'Requirements' }).click();
    const top = async (selector: string): Promise<number> =>
      (await page.locator(selector).boundingBox())?.y ?? Number.NaN;
    await expect.poll(() => top('#requirements')).toBeLessThan(100);
    const links = await page.locator('.sections').boundingBox();
    expect(links?.y).toBe(0);
    expect(await top('#requirements-title')).toBeGreaterThanOrEqual(links?.height ?? Number.NaN);
  });

  test('has targets of at least 24 pixels on a phone', async () => {
    const { page } = await open(fullResult(), { viewport: { width: 375, height: 740 } });
    const targets = page.locator('a:visible:not(.skip), button:visible, input:visible, summary:visible');
    const boxes = await Promise.all((await targets.all()).map((one) => one.boundingBox()));
    expect(boxes.length).toBeGreaterThan(20);
    expect(boxes.filter((box) => (box?.height ?? 0) < 24)).toEqual([]);
  });

  test('prints the example of a broken server on up to 6 pages', async () => {
    const { page } = await open(await readReport('reports/examples/broken.json'));
    const pdf = await page.pdf({
      format: 'A4',
      margin: { top: '1cm', bottom: '1cm', left: '1cm', right: '1cm' },
    });
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.length).toBeLessThanOrEqual(6);
  });

  test('prints with all details open', async () => {
    const { page } = await open(fullResult());
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator('details.broken:not([open])').count()).toBe(0);
    expect(await page.locator('nav:visible, button:visible').count()).toBe(0);
  });

  test('stays usable with thousands of findings', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `execute/rule-${index}`);
    const result = resultOf(
      ids.map((id) => row(id, 'failed')),
      { findings: Array.from({ length: 5000 }, (_, index) => finding(ids[index % 60] ?? '')) },
    );
    expect(Buffer.byteLength(renderHtml(result)[0]?.text ?? '')).toBeLessThan(2e6);
    const { page } = await open(result);
    await page.getByRole('searchbox').fill('rule-59');
    expect(await page.locator('#requirements tbody tr:visible').count()).toBe(1);
  });
});
