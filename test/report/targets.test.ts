import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderTargetsJson } from '../../src/report/formats/json.ts';
import { renderTargetsHtml } from '../../src/report/formats/targets-html.tsx';
import { type TargetEntry, targetEntry } from '../../src/report/target-entry.ts';
import { PLAIN } from '../../src/report/terminal/layout.ts';
import { renderTargetLine, renderTargetTotals } from '../../src/report/terminal/targets-terminal.ts';
import { targetLine } from '../../src/report/view/targets-view.ts';
import { startBrowser, whyNoBrowser } from '../set-up/browser.ts';
import { unless } from '../set-up/skips.ts';
import { expectAccessible } from './accessibility.ts';
import { fullResult } from './full-result.ts';
import { LIVE } from './live-text.ts';
import { resultOf, row } from './results.ts';

const PASSING = resultOf([row('health/status-200', 'passed')]);
const UNREACHABLE = resultOf([row('health/reachable', 'undecided')], { reachable: false });
const HOSTILE = '</a><script>alert(1)</script>\u001B[2J\u202E';

const ENTRIES: readonly TargetEntry[] = [
  targetEntry(PASSING, 'calm', 'calm/probity.html'),
  targetEntry(fullResult(), 'broken', 'broken/probity.html'),
  targetEntry(UNREACHABLE, 'away', null),
  targetEntry(PASSING, HOSTILE, `${HOSTILE}/probity.html`),
  { kind: 'not-checked', name: 'keyless', url: HOSTILE, reason: HOSTILE, exitCode: 2 },
];

describe('an index of targets', () => {
  test('says of each target its verdict, counts, time and slowest function', () => {
    const names = ENTRIES.map(({ name }) => name);
    const lines = ENTRIES.slice(0, 3).map((entry) => renderTargetLine(entry, names, PLAIN));
    expect(lines[0]).toMatch(/^PASS {9}calm {2,}1 passed {2}[\d.]+ s\n$/);
    expect(lines[1]).toMatch(/^FAIL {9}broken {2,}\d+ passed, \d+ failed/);
    expect(lines[2]).toMatch(/^UNREACHABLE {2}away {2,}0 passed, 1 undecided/);
    expect(renderTargetTotals(ENTRIES, 1234)).toBe(
      '5 targets: 2 pass, 1 unreachable, 1 fail, 1 not checked  1.2 s\n',
    );
    const times = { operation: 'execute', errors: 0, intervals: {}, load: {}, unreliable: [] } as const;
    const responseTimes = [
      { ...times, operation: 'health' as const, count: 9, p95Ms: 99 },
      { ...times, function: 'slow', count: 9, p95Ms: 12.34 },
      { ...times, function: 'fast', count: 9, p95Ms: 1 },
      // A single request was not timed.
      { operation: 'execute' as const, function: 'once', count: 1, errors: 0, intervals: {}, p95Ms: 500 },
    ];
    expect(targetEntry({ ...PASSING, responseTimes }, 'timed', null)).toMatchObject({
      slowest: { name: 'execute:slow', p95Ms: 12.34, maxMs: null, reliable: true },
    });
    const few = { ...times, function: 'few', count: 9, p50Ms: 150, maxMs: 152 };
    const entry = targetEntry({ ...PASSING, responseTimes: [...responseTimes, few] }, 'timed', null);
    expect(entry.slowest).toEqual({ name: 'execute:few', p95Ms: null, maxMs: 152, reliable: true });
    expect(targetLine(entry).slowest).toBe('152 max (execute:few)');
  });

  test('shows no character that acts, and no markup of a name', () => {
    const [page] = renderTargetsHtml(ENTRIES, [HOSTILE]);
    const [json] = renderTargetsJson(ENTRIES);
    expect(page?.text).not.toContain('<script>alert');
    const lines = ENTRIES.map((entry) => renderTargetLine(entry, ['a'], PLAIN).trimEnd());
    for (const text of [...lines, ...(page?.text ?? '').split('\n')]) expect(text).not.toMatch(LIVE);
    expect((json?.text ?? '').replaceAll('\n', '')).not.toMatch(LIVE);
    expect(JSON.parse(json?.text ?? '').targets).toEqual(ENTRIES);
  });
});

describe('the index page in a browser', unless(whyNoBrowser()), () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'probity-targets-'));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const file = path.join(folder, 'index.html');
    const [page] = renderTargetsHtml(ENTRIES, ['made by two versions']);
    await writeFile(file, page?.text ?? '');
    const opened = await (await browser.newContext(options)).newPage();
    await opened.goto(pathToFileURL(file).href);
    return opened;
  }

  const namesOn = (page: Page): Promise<readonly string[]> => page.locator('tbody th').allTextContents();

  test('links to the reports, and is accessible in both themes', async () => {
    const page = await open();
    expect(await page.getByRole('link', { name: 'broken' }).getAttribute('href')).toBe('broken/probity.html');
    expect(await page.getByRole('link', { name: 'away' }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('is as wide as a phone, and its table scrolls', async () => {
    const page = await open({ viewport: { width: 375, height: 700 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    await expectAccessible(page);
  });

  test('sorts by the column whose heading is clicked, down with the second click', async () => {
    const page = await open();
    const heading = page.getByRole('columnheader', { name: 'Verdict' });
    await heading.getByRole('button').click();
    expect((await namesOn(page)).slice(0, 3)).toEqual(['keyless', 'broken', 'away']);
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    await heading.getByRole('button').click();
    expect((await namesOn(page)).at(-1)).toBe('keyless');
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
  });

  test('shows every target in the given order without a script', async () => {
    const page = await open({ javaScriptEnabled: false });
    expect((await namesOn(page)).slice(0, 3)).toEqual(['calm', 'broken', 'away']);
  });
});
