import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TrendRun, trendRun, trendsOf } from '../../../src/report/compare/trend.ts';
import { renderTrendHtml } from '../../../src/report/formats/trend-html.tsx';
import { startBrowser, whyNoBrowser } from '../../set-up/browser.ts';
import { unless } from '../../set-up/skips.ts';
import { expectAccessible } from '../accessibility.ts';
import { resultOf, row } from '../results.ts';
import { MEASURED } from './cells.ts';
import { HOSTILE } from './hostile-texts.ts';
import { readHtml } from './read-html.ts';
import { readerOf } from './readers.ts';

/** Eight runs with a flaky requirement, and times that become longer. Every text from the target is this one. */
function pageOf(text: string): string {
  const runs = Array.from({ length: 8 }, (_, index): TrendRun => {
    const factor = index < 4 ? 1 : 3;
    const result = resultOf(
      [
        row('health/operational', index % 2 === 0 ? 'passed' : 'failed'),
        row('health/status-200', 'passed', { text }),
      ],
      {
        id: `run-${index}`,
        startedAt: new Date(Date.UTC(2026, 0, 1, index)).toISOString(),
        target: {
          url: `http://127.0.0.1:3000/?q=${text}`,
          form: { capabilities: 'B', execute: 'B' },
          name: text,
          version: text,
        },
        responseTimes: [
          MEASURED,
          { ...MEASURED, operation: 'execute', function: text, p50Ms: 2 * factor, intervals: {} },
        ],
      },
    );
    const run = trendRun(result, `${text}.json`);
    const times = run.times.map((time) => ({
      ...time,
      intervalMs: [1.9 * factor, 2.1 * factor] as const,
      fastest: { of: 'tenth', withinMs: factor, intervalMs: [factor, factor * 1.01] } as const,
    }));
    return { ...run, conditions: 'same', times };
  });
  return renderTrendHtml(trendsOf(runs), [`${text}.json is not a test result`]);
}

const fileOf = (text: string) => ({ suffix: '.html', text: pageOf(text) });

describe('text from a target, in the page of a trend', () => {
  test.each(HOSTILE.map((text) => [JSON.stringify(text), text]))('stays text: %s', (_, text) => {
    const [expected, reading] = [readHtml(fileOf('tame')), readHtml(fileOf(text))];
    expect(reading.faults).toEqual([]);
    expect(reading.structure).toEqual(expected.structure);
    const told = readerOf('html').told?.(text).trim() ?? '';
    expect(reading.texts.some((shown) => shown.includes(told))).toBe(true);
  });
});

describe('the page of a trend', unless(whyNoBrowser()), () => {
  let browser: Browser;
  let file: string;
  beforeAll(async () => {
    file = path.join(await mkdtemp(path.join(tmpdir(), 'probity-trend-')), 'trend.html');
    await writeFile(file, pageOf('tame'));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await rm(path.dirname(file), { recursive: true, force: true });
  });

  test('is accessible, also on a phone, and loads nothing', async () => {
    const page = await browser.newPage({ viewport: { width: 375, height: 700 } });
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('request', (request) => problems.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    await expectAccessible(page);
    expect(problems).toEqual([pathToFileURL(file).href]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
  });

  test('shows every run, what changed, and a picture in which each interval has a colour', async () => {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href);
    expect(await page.locator('tbody tr').count()).toBe(8);
    const picture = page.locator('figure', { hasText: 'execute:tame' });
    expect(await picture.innerText()).toMatch(/slower since 2026-01-01 04:00:00/);
    expect(await picture.locator('circle').count()).toBe(8);
    for (const part of ['.intervals path', '.grid path'])
      expect(
        await picture
          .locator(part)
          .evaluate((path: object) => (globalThis as never as Colours).getComputedStyle(path).stroke),
      ).toMatch(/^rgb/);
  });

  test('draws its arrows, which not every font has', async () => {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href);
    const arrows = page.locator('.arrow');
    expect(await arrows.count()).toBeGreaterThan(8);
    expect((await arrows.first().boundingBox())?.width).toBeGreaterThan(5);
    const text = await page.locator('body').evaluate((body: { textContent: string }) => body.textContent);
    expect(text.split('→').length - 1).toBe(await arrows.count());
  });
});

interface Colours {
  getComputedStyle(element: object): { readonly stroke: string };
}
