import { expect, test } from 'vitest';
import { resolveUri } from '../../../src/checks/json-schema/locate.ts';

/** Most examples are from RFC 3986, section 5.4. */
test.each([
  ['http://a/b/c/d;p?q', 'g:h', 'g:h', ''],
  ['http://a/b/c/d;p?q', 'g', 'http://a/b/c/g', ''],
  ['http://a/b/c/d;p?q', './g', 'http://a/b/c/g', ''],
  ['http://a/b/c/d;p?q', 'g/', 'http://a/b/c/g/', ''],
  ['http://a/b/c/d;p?q', '/g', 'http://a/g', ''],
  ['http://a/b/c/d;p?q', '//g', 'http://g', ''],
  ['http://a/b/c/d;p?q', '?y', 'http://a/b/c/d;p?y', ''],
  ['http://a/b/c/d;p?q', 'g?y#s', 'http://a/b/c/g?y', 's'],
  ['http://a/b/c/d;p?q', '#s', 'http://a/b/c/d;p?q', 's'],
  ['http://a/b/c/d;p?q', '', 'http://a/b/c/d;p?q', ''],
  ['http://a/b/c/d;p?q', '.', 'http://a/b/c/', ''],
  ['http://a/b/c/d;p?q', '..', 'http://a/b/', ''],
  ['http://a/b/c/d;p?q', '../g', 'http://a/b/g', ''],
  ['http://a/b/c/d;p?q', '../../../g', 'http://a/g', ''],
  ['http://a/b/c/d;p?q', '/./g', 'http://a/g', ''],
  ['http://a', 'b', 'http://a/b', ''],
  ['urn:uuid:1', '#/a', 'urn:uuid:1', '/a'],
  ['', 'b.json#a', 'b.json', 'a'],
  ['b.json', 'c.json', 'c.json', ''],
])('%s and %s', (base, reference, uri, fragment) => {
  expect(resolveUri(base, reference)).toEqual({ uri, fragment });
});
