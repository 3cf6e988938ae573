import { describe, expect, test } from 'vitest';
import { stringifyExactly } from '../../src/json/exact-json.ts';
import { MAX_FILE_BYTES, plainValue } from '../../src/suite/yaml/tree.ts';
import { parseYaml } from '../../src/suite/yaml/yaml-tree.ts';
import {
  expectedSummaries,
  loadText,
  type Mistake,
  problemsOf,
  readMarks,
  suiteOf,
  summaryOf,
} from './loading.ts';

const read = (text: string): unknown => {
  const { tree, diagnostics } = parseYaml(text, 'a.yaml');
  expect(diagnostics).toEqual([]);
  return tree === null ? undefined : plainValue(tree);
};
const refusals = (text: string) => parseYaml(text, 'a.yaml').diagnostics.map(summaryOf);

describe('values are those of YAML 1.2', () => {
  test.each([
    ['yes', 'yes'],
    ['no', 'no'],
    ['on', 'on'],
    ['off', 'off'],
    ['y', 'y'],
    ['true', true],
    ['null', null],
    ['~', null],
    ['017', 17],
    ['0o17', 15],
    ['0x1F', 31],
    ['0b11', '0b11'],
    ['1:30', '1:30'],
    ['1_000', '1_000'],
    ['1e3', 1000],
    ['2026-01-31', '2026-01-31'],
    ['=', '='],
    ['"\\u05E9\\x01\\n"', '\u05E9\u0001\n'],
    ["'it''s'", "it's"],
  ])('%s', (text, value) => {
    expect(read(`a: ${text}`)).toEqual({ a: value });
  });

  test('a key that is not text is read as it is written', () => {
    expect(read('1: a\ntrue: b\nnull: c\n1.50: d\n0x1F: e')).toEqual({
      '1': 'a',
      true: 'b',
      null: 'c',
      '1.50': 'd',
      '0x1F': 'e',
    });
  });

  test('names of inherited properties are ordinary keys', () => {
    const value = read('__proto__: { polluted: true }\nconstructor: 1\ntoString: 2');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('an alias has the last value of its anchor before it', () => {
    expect(read('a: &x [&y 1]\nb: &y 2\nc: *x\nd: *y\ne: &y 3\nf: *y')).toEqual({
      a: [1],
      b: 2,
      c: [1],
      d: 2,
      e: 3,
      f: 3,
    });
  });

  test('an anchored key can be referred to', () => {
    expect(read('&k name: 1\nb: *k')).toEqual({ name: 1, b: 'name' });
  });

  test.each(['!!str 12', '!!int 12', '!!float 1.5', '!!bool true', '!!null ~', '!!map {}', '!!seq []'])(
    'the tag of a plain value has no effect: %s',
    (text) => {
      expect(parseYaml(`a: ${text}`, 'a.yaml').diagnostics).toEqual([]);
    },
  );

  test('a directive may require YAML 1.2', () => {
    expect(read('%YAML 1.2\n---\na: 1')).toEqual({ a: 1 });
  });

  test('Windows line ends are accepted', () => {
    expect(read('a: 1\r\nb:\r\n  - x\r\n')).toEqual({ a: 1, b: ['x'] });
  });
});

const syntax = 'See yaml.org for the syntax; indentation uses spaces, never tabs.';
const tags: Pick<Mistake, 'code' | 'suggests'> = {
  code: 'custom-tag',
  suggests: 'Remove the tag and write a plain value.',
};

const mistakes: readonly Mistake[] = [
  {
    what: 'a tab as indentation',
    text: 'a:\n«\t»b: 1',
    code: 'yaml-syntax',
    says: 'not valid YAML: Tabs are not allowed as indentation',
    suggests: syntax,
  },
  {
    what: 'a double quote that is not closed',
    text: 'a: "abc« »',
    code: 'yaml-syntax',
    says: 'not valid YAML: Missing closing "quote',
    suggests: syntax,
  },
  {
    what: 'a single quote that is not closed',
    text: "a: 'abc« »",
    code: 'yaml-syntax',
    says: "not valid YAML: Missing closing 'quote",
    suggests: syntax,
  },
  {
    what: 'a bracket that is not closed',
    text: 'a: [1, 2« »',
    code: 'yaml-syntax',
    says: 'not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
    suggests: syntax,
  },
  {
    what: 'two mappings on one line',
    text: 'a: «b»: c',
    code: 'yaml-syntax',
    says: 'not valid YAML: Nested mappings are not allowed in compact mappings',
    suggests: syntax,
  },
  {
    what: 'an unknown escape',
    text: 'a: "«\\»q"',
    code: 'yaml-syntax',
    says: 'not valid YAML: Invalid escape sequence \\q',
    suggests: syntax,
  },
  {
    what: 'several documents in one file',
    text: 'a: 1\n«---\nb: 2»',
    code: 'yaml-syntax',
    says: 'the file has more than one document',
    suggests: 'Write each document to a separate file.',
  },
  {
    what: 'an unknown directive',
    text: '«%FOO bar»\n---\na: 1',
    code: 'yaml-syntax',
    says: 'Unknown directive %FOO',
    suggests: 'Remove it.',
  },
  {
    what: 'YAML 1.1',
    text: '# first a comment\n«%YAML 1.1»\n---\na: 1',
    code: 'yaml-version',
    says: 'the file requires YAML 1.1',
    suggests: 'Remove the %YAML directive: the language is YAML 1.2.',
  },
  {
    what: 'a duplicate key',
    text: 'a: 1\nb: { c: 1, d: 2, «c»: 3 }\n«a»: 2',
    code: 'duplicate-key',
    says: 'duplicate key in one mapping',
    suggests: 'Keep one of the two, with the entries of both.',
  },
  {
    what: 'a duplicate key, once in quotes',
    text: '1: a\n«"1"»: b',
    code: 'duplicate-key',
    says: 'duplicate key in one mapping',
    suggests: 'Keep one of the two, with the entries of both.',
  },
  {
    what: 'a list as a key',
    text: '? «[a]»\n: 1',
    code: 'wrong-type',
    says: 'a key must be plain text',
    suggests: 'Write the key as text.',
  },
  {
    what: 'an alias as a key',
    text: 'a: &x b\n«*x» : 1',
    code: 'wrong-type',
    says: 'a key must be plain text',
    suggests: 'Write the key as text.',
  },
  {
    what: 'an alias without an anchor',
    text: 'a: «*later»\nb: &later 1',
    code: 'yaml-syntax',
    says: 'no anchor "&later" before this alias',
    suggests: 'Define the anchor first, or write the value here.',
  },
  {
    what: 'a tag for a function',
    text: 'a: «!!js/function» "x"',
    says: 'custom tags are not part of',
    ...tags,
  },
  { what: 'a local tag', text: 'a: «!foo» b', says: 'custom tags are not part of the language', ...tags },
  {
    what: 'a local tag of a mapping',
    text: 'a: «!foo» { b: 1 }',
    says: 'custom tags are not part of',
    ...tags,
  },
  {
    what: 'a tag with a custom prefix',
    text: '%TAG ! tag:example.com,2000:\n---\na: «!foo» b',
    says: 'custom tags are not part of the language',
    ...tags,
  },
  {
    what: 'bytes',
    text: 'a: !!binary «aGk=»',
    says: 'the tag tag:yaml.org,2002:binary is not part of',
    ...tags,
  },
  {
    what: 'a date',
    text: 'a: !!timestamp «2026-01-31»',
    says: 'the tag tag:yaml.org,2002:timestamp is not part of the language',
    ...tags,
  },
  { what: 'a set', text: 'a: !!set «{ b, c }»', says: 'the tag tag:yaml.org,2002:set is not', ...tags },
  {
    what: 'an ordered mapping',
    text: 'a: !!omap «[b: 1]»',
    says: 'the tag tag:yaml.org,2002:omap is not',
    ...tags,
  },
  { what: 'pairs', text: 'a: !!pairs «[b: 1]»', says: 'the tag tag:yaml.org,2002:pairs is not', ...tags },
];

describe('what is not YAML 1.2 of plain values', () => {
  test.each(mistakes.map((mistake) => [mistake.what, mistake] as const))('%s', (_, mistake) => {
    // A missing value at the end of the text is underlined as one column.
    const text = readMarks(mistake.text).text.replace(/ $/, '');
    expect(refusals(text)).toEqual(expectedSummaries(mistake, (part) => expect.stringContaining(part)));
  });

  test('always has a reason', () => {
    for (const { text } of mistakes) {
      const { tree, diagnostics } = parseYaml(readMarks(text).text, 'a.yaml');
      expect(tree !== null || diagnostics.length > 0, text).toBe(true);
    }
  });
});

const LEVELS = 64;
const tooDeep = {
  code: 'too-deep',
  says: `nested deeper than ${LEVELS} levels`,
  suggests: 'Reduce the nesting; an alias may contain itself.',
};

describe('limits', () => {
  test('accept the maximum depth', () => {
    expect(read(`${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`)).toEqual(
      JSON.parse(`${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`),
    );
  });

  test('refuse one level more', () => {
    expect(refusals(`${'['.repeat(LEVELS + 1)}x${']'.repeat(LEVELS + 1)}`)).toEqual([
      { ...tooDeep, at: `1:${LEVELS + 2}`, underlined: 1 },
    ]);
  });

  test.each([
    ['lists in one line', '['.repeat(50_000)],
    ['closed lists in one line', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['mappings in one line', '{a: '.repeat(50_000)],
    ['lists in a row', `${'- '.repeat(50_000)}a`],
    ['indented mappings', Array.from({ length: 1400 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('refuse extreme depth: %s', (_, text) => {
    expect(refusals(text)).toEqual([
      { ...tooDeep, at: expect.stringMatching(/^\d+:\d+$/), underlined: expect.any(Number) },
    ]);
  });

  test('refuse an alias that contains itself', () => {
    expect(refusals('a: &a [*a]')).toEqual([{ ...tooDeep, at: '1:7', underlined: 4 }]);
  });

  test('refuse nested aliases with a billion values in ten lines', () => {
    const names = [...'abcdefghij'];
    const lines = names.map((name, index) => {
      const value = index === 0 ? 'x' : `*${names[index - 1]}`;
      return `${name}: &${name} [${Array.from({ length: 9 }, () => value).join(', ')}]`;
    });
    expect(refusals(lines.join('\n'))).toEqual([
      {
        code: 'too-many-nodes',
        at: expect.stringMatching(/^1:\d+$/),
        underlined: 1,
        says: 'more than 100000 values, aliases expanded',
        suggests: 'Use fewer aliases, or split the file.',
      },
    ]);
  });

  test('accept very many aliases of one value', () => {
    const { tree, diagnostics } = parseYaml(`a: &a 1\nb: [${'*a, '.repeat(40_000)}]`, 'a.yaml');
    expect(diagnostics).toEqual([]);
    expect(tree === null ? 0 : (plainValue(tree) as { b: unknown[] }).b.length).toBe(40_000);
  });

  test('refuse more than a megabyte', () => {
    const text = `# ${'x'.repeat(MAX_FILE_BYTES)}`;
    expect(refusals(text)).toEqual([
      {
        code: 'file-too-large',
        at: '1:1',
        underlined: 1,
        says: `the file has ${MAX_FILE_BYTES + 2} bytes, more than ${MAX_FILE_BYTES}`,
        suggests: 'Split it into several files.',
      },
    ]);
  });

  test('count bytes, not characters', () => {
    expect(refusals(`# ${'é'.repeat(MAX_FILE_BYTES / 2)}`)).toMatchObject([{ code: 'file-too-large' }]);
  });
});

describe('documents that are not suites', () => {
  test.each([
    ['an empty file', '', 'expected a suite, found nothing'],
    ['a file of comments', '# nothing\n', 'expected a suite, found nothing'],
    ['a list at the top', '- suite: v1', 'expected a suite, found a list'],
    ['a text at the top', 'suite', 'expected a suite, found text'],
  ])('%s', (_, text, says) => {
    expect(problemsOf(() => loadText(text)).map(summaryOf)).toEqual([
      {
        code: 'wrong-type',
        at: '1:1',
        underlined: Math.max(1, text.startsWith('#') ? 1 : text.length),
        says,
        suggests: 'Write a suite here.',
      },
    ]);
  });

  test('a mapping without any of the keys', () => {
    expect(problemsOf(() => loadText('{}')).map(({ message }) => message)).toEqual([
      'a suite has no key "suite"',
      'a suite has no key "id"',
      'a suite has no key "title"',
      'a suite has no key "steps"',
    ]);
  });
});

describe('large files', () => {
  const bigStep = (index: number): string => `- id: step-${index}
  title: ${'a long title '.repeat(12)}
  request: { get: /health }
  expect:
    body:
      - { at: $.a, is: { type: string, minLength: 1 }, id: a-${index} }
      - { at: $.b, is: { type: object, properties: { c: { enum: [x, y, z] } } }, id: b-${index} }`;

  const sizedSuite = (maxBytes: number): string => {
    const steps: string[] = [];
    let length = suiteOf('').length;
    for (let index = 0; ; index += 1) {
      const step = bigStep(index);
      length += step.length + 2 * step.split('\n').length + 1;
      if (length > maxBytes) return suiteOf(steps.join('\n'));
      steps.push(step);
    }
  };

  test('a suite of just under a megabyte is loaded', () => {
    const text = sizedSuite(MAX_FILE_BYTES);
    expect(text.length).toBeGreaterThan(MAX_FILE_BYTES - 600);
    expect(text.length).toBeLessThanOrEqual(MAX_FILE_BYTES);
    const { steps } = loadText(text);
    expect(steps.length).toBe(text.match(/- id:/g)?.length);
  });

  test('a mapping with very many unknown keys is refused', () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `key-${index}: 1`).join('\n');
    const problems = problemsOf(() => loadText(`${suiteOf(bigStep(0))}${keys}`));
    expect(problems).toHaveLength(20_000);
    expect(problems.at(-1)).toMatchObject({ code: 'unknown-key', place: { line: 20_011, column: 1 } });
  });

  const chainOf = (length: number, lastNeeds: string): string =>
    suiteOf(
      Array.from({ length }, (_, index) => {
        const needs = index === length - 1 ? lastNeeds : `[s${index + 1}]`;
        return `- { id: s${index}, needs: ${needs}, request: { get: / }, expect: { status: { is: 200, id: x${index} } } }`;
      }).join('\n'),
    );

  test('a long chain of needs', () => {
    expect(loadText(chainOf(1000, '[]')).steps).toHaveLength(1000);
  });

  test('a cycle of needs is reported for each step, with the whole path', () => {
    const problems = problemsOf(() => loadText(chainOf(20, '[s0]')));
    expect(problems.map(({ code, place }) => `${code} ${place.line}:${place.column}`)).toEqual(
      Array.from({ length: 20 }, (_, index) => `circular-needs ${index + 5}:11`),
    );
    expect(problems[18]?.message).toMatch(
      /^the step needs itself: mine\/s18 needs mine\/s19 needs mine\/s0 needs .* needs mine\/s17 needs mine\/s18$/,
    );
  });
});

describe('a number keeps its digits', () => {
  test.each([
    ['174322306148984899', '174322306148984899'],
    ['+174322306148984899', '174322306148984899'],
    ['-0174322306148984899', '-174322306148984899'],
    ['0x26b5169f5cfd8c3', '174322526121351363'],
    ['0o11532432647534661437', '174322815086060319'],
    ['.1000000000000000055', '0.1000000000000000055'],
    ['174322306148984899.', '174322306148984899'],
    ['1_000', '"1_000"'],
    ['+.5', '0.5'],
    ['0x10', '16'],
    ['0010', '10'],
  ])('%s is %s', (written, value) => {
    const { tree, diagnostics } = parseYaml(`[${written}]`, 'a.yaml');
    expect(diagnostics).toEqual([]);
    expect(tree && stringifyExactly(plainValue(tree))).toBe(`[${value}]`);
  });
});
