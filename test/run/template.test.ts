import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { expandJson, expandText, expandToText, MissingValue } from '../../src/run/calls/template.ts';
import { hasBrokenReference, referencesIn, soleReference } from '../../src/suite/language/references.ts';
import { anyCharacter } from '../any-character.ts';

const scope = new Map<string, Json>([
  ['n', 3],
  ['text', 'a b/c'],
  ['fn', { name: 'add', 'x-y_z': [1, { deep: null }], toString: 'own' }],
  ['list', [1, 'two']],
  ['evil', '${n} $& $1 ${evil}'],
  ['none', null],
]);

describe('references in text', () => {
  test.each([
    ['${a}', [{ root: 'a', path: [] }]],
    [
      'x${a.b.c}y${d}',
      [
        { root: 'a', path: ['b', 'c'] },
        { root: 'd', path: [] },
      ],
    ],
    ['${fn.x-y_z.0}', [{ root: 'fn', path: ['x-y_z', '0'] }]],
    ['$a {a} $${a}', [{ root: 'a', path: [] }]],
    ['${}', []],
    ['${1a}', []],
    ['${a b}', []],
    ['${a', []],
  ])('%s', (text, expected) => {
    expect(referencesIn(text)).toMatchObject(expected);
    expect(referencesIn(text)).toHaveLength(expected.length);
  });

  test.each(['${}', '${1a}', '${a b}', '${a', '${a}${', '${a.}', '${a..b}', '${${a}}'])(
    '%s is broken',
    (text) => {
      expect(hasBrokenReference(text)).toBe(true);
    },
  );

  test.each(['', '$', '{}', '$a', '${a}', 'x ${a} ${b.c}', '$ {a}'])('%s is valid', (text) => {
    expect(hasBrokenReference(text)).toBe(false);
  });

  test('a single reference differs from one inside text', () => {
    expect(soleReference('${a.b}')).toMatchObject({ root: 'a', path: ['b'] });
    expect(soleReference(' ${a}')).toBeUndefined();
    expect(soleReference('${a}${b}')).toBeUndefined();
  });
});

describe('expansion', () => {
  test.each<[string, Json]>([
    ['${n}', 3],
    ['${list}', [1, 'two']],
    ['${fn.name}', 'add'],
    ['${fn.toString}', 'own'],
    ['${none}', null],
    ['${n}${n}', '33'],
    ['n=${n}, list=${list}, none=${none}', 'n=3, list=[1,"two"], none=null'],
    ['no reference', 'no reference'],
    ['${text}!', 'a b/c!'],
  ])('%s', (text, value) => {
    expect(expandText(text, scope)).toEqual(value);
  });

  test('a value is never expanded, whatever it contains', () => {
    expect(expandToText('${evil} and ${n}', scope)).toBe('${n} $& $1 ${evil} and 3');
    expect(expandToText('${n}${evil}${n}', scope)).toBe('3${n} $& $1 ${evil}3');
    expect(expandText('${evil}', scope)).toBe('${n} $& $1 ${evil}');
  });

  test('every reference in a path is encoded, and nothing else', () => {
    expect(expandToText('/files/${text}?a=${fn.name}', scope, encodeURIComponent)).toBe(
      '/files/a%20b%2Fc?a=add',
    );
  });

  test('inside JSON, with types kept and keys left alone', () => {
    const body = { '${n}': '${n}', list: ['${list}', 'x${n}', true], deep: { a: { b: '${fn}' } } };
    expect(expandJson(body, scope)).toEqual({
      '${n}': 3,
      list: [[1, 'two'], 'x3', true],
      deep: { a: { b: scope.get('fn') } },
    });
  });

  test.each([
    '${gone}',
    '${fn.gone}',
    '${n.x}',
    '${list.0}',
    '${none.x}',
    '${fn.constructor}',
    '${text.length}',
  ])('%s has no value', (text) => {
    expect(() => expandText(text, scope)).toThrow(MissingValue);
    expect(() => expandText(`in ${text}`, scope)).toThrow(`there is no value for ${text}`);
  });

  test('text around references and values stay unchanged', () => {
    const plain = fc.string({ unit: anyCharacter }).filter((text) => !text.includes('$'));
    fc.assert(
      fc.property(plain, fc.string({ unit: anyCharacter }), plain, fc.string(), plain, (a, x, b, y, c) => {
        const values = new Map<string, Json>([
          ['x', x],
          ['y', y],
        ]);
        expect(expandToText(`${a}\${x}${b}\${y}${c}`, values)).toBe(a + x + b + y + c);
      }),
    );
  });
});
