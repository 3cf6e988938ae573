import { expect, test } from 'vitest';
import { parseUrl } from '../../src/text/parse-url.ts';

test('returns the same every time, also for a non-ASCII host', () => {
  const hosts = new Set(
    Array.from({ length: 50_000 }, () => parseUrl('https://m\u00fcnchen.example/a')?.hostname),
  );
  expect([...hosts]).toEqual(['xn--mnchen-3ya.example']);
});

test.each(['', 'example.com', 'http://', 'http://a b'])('%j is not a URL', (text) => {
  expect(parseUrl(text)).toBeNull();
});
