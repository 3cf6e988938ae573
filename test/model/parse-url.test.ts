import { expect, test } from 'vitest';
import { parseUrl } from '../../src/model/parse-url.ts';

test('gives the same every time, also for a host beyond ASCII', () => {
  const hosts = new Set(
    Array.from({ length: 50_000 }, () => parseUrl('https://m\u00fcnchen.example/a')?.hostname),
  );
  expect([...hosts]).toEqual(['xn--mnchen-3ya.example']);
});

test.each(['', 'example.com', 'http://', 'http://a b'])('%j is none', (text) => {
  expect(parseUrl(text)).toBeNull();
});
