import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderHar } from '../../../src/report/formats/har.ts';
import { startBrowser, whyNoBrowser } from '../../set-up/browser.ts';
import { unless } from '../../set-up/skips.ts';
import { finding, resultOf, row } from '../results.ts';
import { BENCH, EXCHANGES, PASSING, UNREACHABLE, WHOLE } from './cells.ts';
import { type Har, type HarEntry, readHar } from './read-har.ts';

const RESULT = resultOf([row('health/status-200', 'failed')], {
  exchanges: EXCHANGES,
  findings: [finding('health/status-200', { where: { ...finding('a/b').where, exchange: 'health/read#0' } })],
});

const [FILE] = renderHar(RESULT);

function entries(): ReadonlyMap<string, HarEntry> {
  const { log } = JSON.parse(FILE?.text ?? '') as Har;
  return new Map(log.entries.map((entry) => [entry.comment.split(/[#;]/)[0] ?? '', entry]));
}

describe('the exchanges of a result as an HTTP Archive', () => {
  test.each([
    ['whole', WHOLE] as const,
    ['without exchanges', PASSING] as const,
    ['bench', BENCH] as const,
    ['unreachable', UNREACHABLE] as const,
    ['with exchanges', RESULT] as const,
  ])('match the schema of HAR 1.2: %s', (_, result) => {
    expect(readHar(renderHar(result)[0]).faults).toEqual([]);
  });

  test('are in the order in which they were sent, without those that were not', () => {
    expect([...entries().keys()]).toEqual([
      'health/read',
      'execute/call[add]',
      'robustness/large',
      'health/again',
    ]);
  });

  test('have the measured times, and name the findings about them', () => {
    expect(entries().get('health/read')).toMatchObject({
      startedDateTime: '2026-01-31T12:00:00.000Z',
      comment: 'health/read#0; failed: health/status-200',
      time: 4,
      timings: { blocked: -1, dns: -1, connect: 1.25, ssl: -1, send: 0, wait: 2.25, receive: 0.5 },
      request: {
        queryString: [{ name: 'verbose', value: '1' }],
        headers: expect.arrayContaining([{ name: 'authorization', value: 'Bearer $PROBITY_TOKEN' }]),
      },
    });
    expect(entries().get('execute/call[add]')).toMatchObject({
      timings: { connect: -1, wait: 4, receive: 1.5 },
    });
  });

  test('have bodies that are not text as Base64, and the size of long ones', () => {
    expect(entries().get('execute/call[add]')).toMatchObject({
      request: { bodySize: 7, postData: { mimeType: 'application/json', text: '{"a":1}' } },
      response: { content: { size: 4, mimeType: 'image/png', text: '/9j/4A==', encoding: 'base64' } },
    });
    const large = entries().get('robustness/large');
    expect(large?.request).toMatchObject({ bodySize: 5_000_003, postData: { comment: expect.any(String) } });
    expect(FILE?.text.length).toBeLessThan(20_000);
  });

  test('have the status 0 and an error where no answer came', () => {
    expect(entries().get('health/again')?.response).toMatchObject({
      status: 0,
      _error: 'connection-refused: nothing listens there',
    });
    expect(entries().get('robustness/large')?.response).toMatchObject({
      status: 200,
      bodySize: -1,
      _error: 'closed-early: the connection ended inside the body',
    });
  });
});

describe('a browser', unless(whyNoBrowser()), () => {
  test('answers requests from the archive', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'probity-har-'));
    const browser = await startBrowser();
    try {
      const file = path.join(folder, 'probity.har');
      await writeFile(file, FILE?.text ?? '');
      const context = await browser.newContext();
      await context.routeFromHAR(file, { notFound: 'abort' });
      const page = await context.newPage();
      const answer = await page.goto('http://127.0.0.1:3000/health?verbose=1');
      expect(answer?.status()).toBe(200);
      expect(await answer?.text()).toBe('{"status":"ok"}');
      await expect(page.goto('http://127.0.0.1:3000/health?verbose=2')).rejects.toThrow('ERR_FAILED');
    } finally {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
