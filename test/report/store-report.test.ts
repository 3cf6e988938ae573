import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { readReport } from '../../src/report/read-report.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { storeReport, writeWhole } from '../../src/report/store-report.ts';
import { finding, resultOf, row } from './results.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reports-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const result = resultOf([row('health/status-200', 'failed')], { findings: [finding('health/status-200')] });
const at = (url: string) => ({ ...result, target: { ...result.target, url } });

describe('storing a report', () => {
  test('creates the folder, writes only the complete file, and returns the path', async () => {
    const below = path.join(folder, 'a', 'b');
    const file = await storeReport(result, below);
    expect(file).toBe(path.join(below, '2026-01-31T12-00-00Z-127.0.0.1-3000-1f2e3d4c.json'));
    expect(readdirSync(below)).toEqual([path.basename(file)]);
    expect(readFileSync(file, 'utf8')).toBe(serialiseReport(result));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(result);
  });

  test('replaces a report of the same name', async () => {
    const file = await storeReport(result, folder);
    await storeReport({ ...result, seed: 8 }, folder);
    expect(readdirSync(folder)).toEqual([path.basename(file)]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ seed: 8 });
  });

  test.each([
    ['http://[::1]:3000', '1-3000-12d032a4'],
    ['http://[2001:db8::ff]', '2001-db8-ff-f7201b1b'],
    ['https://example.com', 'example.com'],
    ['https://EXAMPLE.com:8443/deep/path', 'example.com-8443-adc34d7e'],
    ['https://münchen.example', 'xn--mnchen-3ya.example-4f5f4315'],
    [`https://${'a.'.repeat(60)}example`, `${'a.'.repeat(40)}-6c8a8ce2`],
  ])('names the host of %s with characters that a file name allows', async (url, host) => {
    const file = await storeReport(at(url), folder);
    expect(path.basename(file)).toBe(`2026-01-31T12-00-00Z-${host}-1f2e3d4c.json`);
    expect(path.basename(file)).toMatch(/^[A-Za-z0-9][A-Za-z0-9.-]*\.json$/);
  });

  test.each([
    { id: '../../up' },
    { id: '..' },
    { id: '/etc/up' },
    { id: 'C:\\up' },
    { startedAt: '../../up' },
    { startedAt: '/2026-01-31' },
    { target: { ...result.target, url: '../../up' } },
  ])('writes to no other folder for %j', async (odd) => {
    const file = await storeReport({ ...result, ...odd }, folder);
    expect(path.dirname(file)).toBe(folder);
    expect(readdirSync(folder)).toEqual([path.basename(file)]);
    expect(path.basename(file)).toMatch(/^[A-Za-z0-9][A-Za-z0-9.-]*\.json$/);
  });

  test('sorts by time', async () => {
    for (const startedAt of ['2026-02-01T00:00:00.000Z', '2026-01-31T23:59:59.999Z']) {
      await storeReport({ ...result, startedAt }, folder);
    }
    expect(readdirSync(folder).map((name) => name.slice(0, 20))).toEqual([
      '2026-01-31T23-59-59Z',
      '2026-02-01T00-00-00Z',
    ]);
  });

  test('leaves nothing behind if it fails', async () => {
    const taken = path.join(folder, 'taken');
    writeFileSync(taken, 'not a folder');
    await expect(storeReport(result, taken)).rejects.toThrow();
    await expect(writeWhole(path.join(folder, 'missing', 'x.json'), '{}')).rejects.toMatchObject({
      code: 'ENOENT',
    });
    const target = path.join(folder, 'folder.json');
    await storeReport(result, path.join(target, 'inside'));
    await expect(writeWhole(target, ['{}'])).rejects.toThrow();
    expect(readdirSync(folder).toSorted()).toEqual(['folder.json', 'taken']);
  });

  test('writes the same in pieces as at once', () => {
    const request = { key: 'a#0', method: 'GET', url: 'http://127.0.0.1/', headers: [], body: null };
    const reason = { code: 'timeout', fault: 'server', message: 'a\n}, "b"' } as const;
    const timing = { startedAtMs: 1, connectMs: null, firstByteMs: null, durationMs: 2 };
    const exchange = { kind: 'unanswered', request, reason, timing } as const;
    for (const exchanges of [
      [],
      [exchange],
      [exchange, { ...exchange, reason: { ...reason, message: 'c' } }],
    ]) {
      const written = serialiseReport({ ...result, exchanges });
      expect(written).toBe(`${JSON.stringify({ ...result, exchanges }, null, 2)}\n`);
    }
  });

  test.each([
    ['words', 'a "quoted" line\n'],
    ['surrogate pairs', '\u{1F600}x'],
    ['terminal commands', '\u001B[2J\u202E'],
    ['lone surrogates', '\uDC00\uD800\uD800x'],
    ['the placeholder itself', '<the text of the body>'],
  ])('writes a large answer of %s slice by slice', (_what, part) => {
    const request = { key: 'a#0', method: 'GET', url: 'http://127.0.0.1/', headers: [], body: null };
    const timing = { startedAtMs: 1, connectMs: 1, firstByteMs: 1, durationMs: 2 };
    for (const start of ['', 'x']) {
      const body = { text: `${start}${part.repeat(200_000 / part.length)}` };
      const response = { status: 200, headers: [], body, repeatedSecrets: [], oddities: [] };
      const connection = { reused: false, tls: null };
      const exchange: Exchange = { kind: 'answered', request, response, connection, timing };
      const written = serialiseReport({ ...result, exchanges: [exchange] });
      expect(JSON.parse(written).exchanges).toEqual([exchange]);
      expect(written).toContain('\n        "body": {\n');
      expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    }
  });

  test('writes nothing that acts on a terminal', () => {
    const hostile = {
      ...result,
      facts: [{ name: 'x', text: '\u001B[2J\u009B\u202E\u200B\u2028\uD800\u{E0041}' }],
    };
    const text = serialiseReport(hostile);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(text)).toEqual(hostile);
    expect(text.endsWith('}\n')).toBe(true);
  });
});

describe('reading a report', () => {
  const write = (text: string): string => {
    const file = path.join(folder, 'report.json');
    writeFileSync(file, text);
    return file;
  };

  test('returns what was stored', async () => {
    expect(await readReport(await storeReport(result, folder))).toEqual(result);
  });

  test.each([
    ['text that is not JSON', '{', /report\.json is not JSON: /],
    ['another value', '[]', /report\.json is not a test result of this version: the document must be object/],
    ['an incomplete result', '{"schema":1}', /is not a test result of this version: the document must have/],
    ['another version', JSON.stringify({ ...result, schema: 'v2' }), /\/schema must be equal to constant/],
    ['a further key', JSON.stringify({ ...result, more: 1 }), /must NOT have additional properties/],
    [
      'a report that was made through a bridge',
      JSON.stringify({ ...result, settings: { ...result.settings, bridged: { address: 'node server.js' } } }),
      /was made by a version of Probity that checked servers .* through a bridge.*: check the server again/,
    ],
    [
      'a row with an unknown outcome',
      JSON.stringify({ ...result, results: [{ ...row('a', 'passed'), outcome: 'ok' }] }),
      /\/results\/0\/outcome/,
    ],
    ['an empty id', JSON.stringify({ ...result, id: '' }), /\/id must match pattern/],
    ['an id that is a path', JSON.stringify({ ...result, id: '../1f2e' }), /\/id must match pattern/],
  ])('refuses %s', async (_, text, message) => {
    await expect(readReport(write(text))).rejects.toThrow(message);
  });

  test('names a missing file', async () => {
    const file = path.join(folder, 'gone.json');
    await expect(readReport(file)).rejects.toThrow(`Cannot read ${file}: the file does not exist.`);
  });
});
