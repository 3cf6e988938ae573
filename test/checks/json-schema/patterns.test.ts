import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern, type PatternMatch } from '../../../src/checks/json-schema/patterns.ts';

function matchOf(source: string, text: string): PatternMatch {
  const compiled = compilePattern(source);
  if (compiled === null) throw new Error(`${source} is broken`);
  return compiled.match(text, () => {});
}

function ownRegExp(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** Texts that distinguish patterns. */
const TEXTS = [
  ...[
    '',
    'a',
    'A',
    'b',
    'ab',
    'abc',
    'aB1',
    '1',
    '12',
    '_',
    '-',
    '/',
    ':',
    ']',
    '[',
    'a]',
    'p]',
    ':]',
    '😀',
    'é',
  ],
  ...[
    '\n',
    '\r',
    '\u2028',
    '\u2029',
    '\u0085',
    '\u00a0',
    '\ufeff',
    '\u180e',
    '\u200b',
    '\v',
    '\f',
    '\t',
    ' ',
  ],
  ...[
    '10 km',
    '10\u00a0km',
    'a\nb',
    'a\rb',
    'a\n',
    'α',
    'Ω',
    'я',
    '٣',
    'ſ',
    'K',
    'AA1!aaaa',
    'aaaa1111',
    'foo',
  ],
  ...[
    'foobar',
    'xfoo',
    'foo.bar',
    'a'.repeat(9),
    'a'.repeat(1500),
    '\u0001',
    '\\',
    '$',
    '^',
    '{',
    '}',
    'x{',
    'u{61}',
  ],
];

describe('a pattern has the meaning of ECMAScript', () => {
  test.each([
    ...[
      '^\\S+\\s\\S+$',
      '\\s',
      '\\S',
      '^\\S$',
      '[\\s]',
      '[^\\s]',
      '[^\\S]',
      '[\\S\\d]',
      '[\\W_]',
      '[^\\W]',
      '\\W',
    ],
    ...[
      '\\d',
      '\\D',
      '[\\D]',
      '^\\w+$',
      '\\ba\\b',
      '\\Ba',
      '^.$',
      '.',
      '^a.b$',
      '[^]',
      '^[^]$',
      '[]',
      'a[]',
      '[^a]',
    ],
    ...[
      '\\u0061',
      '\\u{61}',
      '^\\u{1f600}$',
      '\\ud83d\\ude00',
      '\\x61',
      '\\cA',
      '\\/',
      '[\\-a]',
      'a\\-',
      '\\_',
      '\\:',
    ],
    ...[
      '(?<name>a)b',
      '(a)(b)',
      '(?:a|b)c',
      '[[:alpha:]]',
      '^[[:alpha:]]+$',
      '[a-]',
      '[+--]',
      'x{',
      '^{',
      '\\$',
      '\\^',
    ],
    ...[
      '^$',
      '$',
      '^',
      'a$',
      'a|^b',
      '^(a|b)*$',
      '(?:)',
      '(?:)*a',
      'a{0}b',
      'a{2,}',
      'a*?b',
      '^(?:a{3}){3}$',
      'a??',
    ],
    ...[
      '\\p{L}',
      '\\P{L}',
      '\\p{Letter}',
      '\\p{Lu}',
      '^\\p{General_Category=Uppercase_Letter}',
      '\\p{gc=Nd}',
    ],
    ...['\\p{Script=Greek}', '\\p{sc=Cyrl}', '[\\p{L}\\d]', '[^\\p{L}]', '[\\P{L}]', '\\p{Any}', '\\p{Pd}'],
    ...['^(?=.*\\d)(?=.*[A-Z]).{8,}$', '^(?!foo)', '^(?!.*\\d$).+$', '^(?!foo$)foo', 'a(?=b)', '^(?=a|b)b'],
    ...[
      '^(?=a)',
      '^(?!)',
      'foo(?=bar|$)',
      '^a{1,1200}$',
      '^.{1500}$',
      '^(?:a{10}){150}$',
      '\\0',
      '[\\b]',
      '\\t\\n',
    ],
  ])('%s', (source) => {
    for (const text of TEXTS) {
      const match = matchOf(source, text);
      if (match.kind === 'undecided') expect(match.reason).toContain('flag u');
      else
        expect([source, text, match.kind === 'match']).toEqual([source, text, ownRegExp(source).test(text)]);
    }
  });

  test.each([
    ...[
      'L',
      'Lu',
      'Ll',
      'Lt',
      'Lm',
      'Lo',
      'M',
      'Mn',
      'Mc',
      'Me',
      'N',
      'Nd',
      'Nl',
      'No',
      'P',
      'Pc',
      'Pd',
      'Ps',
    ],
    ...[
      'Pe',
      'Pi',
      'Pf',
      'Po',
      'S',
      'Sm',
      'Sc',
      'Sk',
      'So',
      'Z',
      'Zs',
      'Zl',
      'Zp',
      'Cc',
      'Cf',
      'Co',
      'Cased_Letter',
    ],
    ...['Script=Latin', 'Script=Greek', 'sc=Cyrl', 'sc=Hani', 'sc=Arab', 'sc=Zyyy'],
  ])('\\p{%s} for characters of every plane', (property) => {
    const own = new RegExp(`^\\p{${property}}$`, 'u');
    const assigned = /^\P{Cn}$/u;
    const compiled = compilePattern(`^\\p{${property}}$`);
    if (compiled === null) throw new Error(property);
    const unlike: number[] = [];
    for (let code = 0; code < 0x11_0000; code += 37) {
      const text = String.fromCodePoint(code);
      // Characters that one of the two engines does not know yet are skipped.
      if (!assigned.test(text) || (code >= 0xd800 && code < 0xe000)) continue;
      const match = compiled.match(text, () => {}).kind === 'match';
      if (match !== own.test(text)) unlike.push(code);
    }
    expect(unlike).toEqual([]);
  });

  test('for random combinations of such parts', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b',
        '1',
        '.',
        '\\s',
        '\\S',
        '\\w',
        '\\d',
        '[ab]',
        '[^a]',
        '[]',
        '[^]',
        '\\b',
        '^',
        '$',
        '\\n',
        ' ',
      ],
    );
    const pattern = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4 },
        piece,
        fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
        fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,1}', '*?'))
          .map(([inner, quantifier]) => `(?:${inner})${quantifier}`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([ahead, rest]) => `^(?=${ahead})(?!${rest})${rest}`),
      ),
    })).pattern;
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n', '\u00a0', '_'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 3, maxLength: 5 }), (source, texts) => {
        for (const one of texts) {
          const match = matchOf(source, one);
          if (match.kind !== 'undecided') expect(match.kind === 'match').toBe(ownRegExp(source).test(one));
        }
      }),
      { seed: 3, numRuns: 1500 },
    );
  });
});

describe('patterns that cannot be matched in linear time', () => {
  test.each([
    ['(?<=a)b', 'uses a look-behind'],
    ['(?<!a)b', 'uses a look-behind'],
    ['a(?!b)', 'uses a look-ahead that is not at its beginning'],
    ['(?:(?=a)b)', 'uses a look-ahead that is not at its beginning'],
    ['^(?=(?!b))a', 'uses a look-ahead that is not at its beginning'],
    ['(a)\\1', 'uses a back reference'],
    ['(?<n>a)\\k<n>', 'uses a back reference'],
    ['\\p{Alphabetic}', 'uses the Unicode property \\p{Alphabetic}'],
    ['\\p{Script_Extensions=Greek}', 'uses the Unicode property \\p{Script_Extensions=Greek}'],
    ['(?:(?:a{100}){100}){100}', 'repeats too much'],
  ])('%s %s', (source, reason) => {
    expect(matchOf(source, 'ab')).toEqual({
      kind: 'undecided',
      reason: `its pattern ${JSON.stringify(source)} ${reason}`,
    });
  });

  test('a look-ahead without ^ is decided where the position does not matter', () => {
    expect(matchOf('(?=.*\\d)a', 'a1').kind).toBe('match');
    expect(matchOf('(?=.*\\d)a', 'b1').kind).toBe('no match');
    expect(matchOf('(?=a)b', 'ab').kind).toBe('undecided');
  });

  test('a pattern that is valid only without the flag u, on a character that the flag changes', () => {
    expect(matchOf('^.\\-$', 'a-').kind).toBe('match');
    expect(matchOf('^.\\-$', '😀-')).toMatchObject({ kind: 'undecided' });
  });
});

test.each(['(', '[', 'a**', '\\', '(?<a', 'a{2,1}', '[b-a]'])('%s is not a pattern', (source) => {
  expect(compilePattern(source)).toBeNull();
});

test('a match costs steps by the length of the text and the size of the pattern', () => {
  const cost = (source: string, text: string): number => {
    let steps = 0;
    compilePattern(source)?.match(text, (count) => {
      steps += count;
    });
    return steps;
  };
  expect(cost('a', 'x'.repeat(1000))).toBeGreaterThan(1000);
  expect(cost('a{500}', 'x'.repeat(1000))).toBeGreaterThan(10 * cost('a', 'x'.repeat(1000)));
});
