import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AcceptedFinding, Baseline } from '../../src/model/judgement.ts';
import { parseBaseline, writeBaseline } from '../../src/suite/config/baseline.ts';
import { anyCharacter } from '../any-character.ts';
import { LIVE } from '../report/live-text.ts';
import {
  expectedSummaries,
  type Mistake,
  problemsOf,
  product,
  readMarks,
  suiteErrorOf,
  summaryOf,
} from './loading.ts';

const read = (text: string): Baseline => parseBaseline(text, 'b.yaml', product.registry.keys());
const parse = (text: string): readonly AcceptedFinding[] => read(text).entries;

const ENTRY = `requirement: execute/result-matches-returns
function: forecast
outcome: failed
fingerprint: 3f2a90b14c77de05
reason: the old clients need the text
until: 2026-12-31
evidence: what was found then`;

const baseline = (...entries: readonly string[]): string =>
  `baseline: v1\naccepted:\n${entries.map((entry) => `  - ${entry.replaceAll('\n', '\n    ')}\n`).join('')}`;
const having = (from: string, to: string): string => baseline(ENTRY.replace(from, to));

describe('a baseline', () => {
  test('returns its entries', () => {
    expect(parse(baseline(ENTRY))).toEqual([
      {
        requirement: 'execute/result-matches-returns',
        function: 'forecast',
        outcome: 'failed',
        fingerprint: '3f2a90b14c77de05',
        reason: 'the old clients need the text',
        until: '2026-12-31',
        evidence: 'what was found then',
      },
    ]);
  });

  test('has the default outcome failed, and may omit optional keys', () => {
    const short = 'requirement: mine/rule\nfingerprint: "0123456789012345"\nreason: r\nuntil: 2026-01-01';
    expect(parse(baseline(short))).toEqual([
      {
        requirement: 'mine/rule',
        outcome: 'failed',
        fingerprint: '0123456789012345',
        reason: 'r',
        until: '2026-01-01',
      },
    ]);
  });

  test('may be empty', () => {
    expect(parse('baseline: v1\naccepted: []\n')).toEqual([]);
  });

  test('may accept several findings of one requirement', () => {
    expect(parse(baseline(ENTRY, ENTRY.replace('forecast', 'add')))).toHaveLength(2);
    expect(parse(baseline(ENTRY, ENTRY.replace('3f2a', '3f2b')))).toHaveLength(2);
    expect(parse(baseline(ENTRY, ENTRY.replace('outcome: failed', 'outcome: undecided')))).toHaveLength(2);
  });

  const mistakes: readonly Mistake[] = [
    {
      what: 'no reason',
      text: baseline(`«${ENTRY.replace('reason: the old clients need the text\n', '')}»`),
      code: 'missing-key',
      says: 'an accepted finding has no key "reason"',
      suggests: 'Add "reason": Why it is accepted',
    },
    {
      what: 'an empty reason',
      text: having('the old clients need the text', '«" "»'),
      code: 'wrong-value',
      says: 'is not text',
      suggests: 'Write text.',
    },
    {
      what: 'a date that is not on the calendar',
      text: having('2026-12-31', '«2026-02-30»'),
      code: 'wrong-value',
      says: '"2026-02-30" is not a calendar date',
      suggests: 'Write a date such as 2026-12-31.',
    },
    {
      what: 'an end date in words',
      text: having('2026-12-31', '«next year»'),
      code: 'wrong-value',
      says: '"next year" is not a date such as 2026-12-31',
      suggests: 'Write a date such as 2026-12-31.',
    },
    {
      what: 'a fingerprint that is read as a number',
      text: having('3f2a90b14c77de05', '«1234567890123456»'),
      code: 'wrong-type',
      says: 'without quotation marks this fingerprint is read as a number',
      suggests: 'Put it in quotation marks.',
    },
    {
      what: 'a fingerprint in exponent notation',
      text: having('3f2a90b14c77de05', '«12345678901234e1»'),
      code: 'wrong-type',
      says: 'without quotation marks this fingerprint is read as a number',
      suggests: 'Put it in quotation marks.',
    },
    {
      what: 'a truncated fingerprint',
      text: having('3f2a90b14c77de05', '«3f2a90»'),
      code: 'wrong-value',
      says: '"3f2a90" is not a fingerprint: 16 digits from 0 to f',
      suggests: 'Write a fingerprint',
    },
    {
      what: 'an outcome that cannot be accepted',
      text: having('outcome: failed', 'outcome: «fail»'),
      code: 'wrong-value',
      says: '"fail" is not one of failed, undecided, blocked',
      suggests: 'Did you mean "failed"?',
    },
    {
      what: 'an unknown requirement of the product',
      text: having('execute/result-matches-returns', '«execute/result-match-returns»'),
      code: 'unknown-requirement',
      says: 'unknown requirement "execute/result-match-returns"',
      suggests: 'Did you mean "execute/result-matches-returns"?',
    },
    {
      what: 'a duplicate finding',
      text: baseline(
        ENTRY,
        ENTRY.replace('execute/result-matches-returns', '«execute/result-matches-returns»'),
      ),
      code: 'duplicate-id',
      says: 'line 3 already accepts the same finding of "execute/result-matches-returns"',
      suggests: 'Keep one of the two',
    },
    {
      what: 'an unknown key',
      text: having('until:', '«untill»:'),
      code: 'unknown-key',
      says: 'unknown key "untill"',
      suggests: 'Did you mean "until"?',
    },
  ];

  test.each(mistakes.filter(({ code }) => code !== 'unknown-key' && code !== 'missing-key'))(
    'with $what is refused',
    (mistake) => {
      const { text } = readMarks(mistake.text);
      expect(problemsOf(() => parse(text)).map(summaryOf)).toEqual(
        expectedSummaries(mistake, (part) => expect.stringContaining(part)),
      );
    },
  );

  test.each(mistakes.filter(({ code }) => code === 'unknown-key' || code === 'missing-key'))(
    'with $what is refused, possibly with further mistakes',
    (mistake) => {
      const { text } = readMarks(mistake.text);
      const [found] = problemsOf(() => parse(text)).filter(({ code }) => code === mistake.code);
      expect(found?.message).toContain(mistake.says);
      expect(found?.suggestion).toContain(mistake.suggests);
    },
  );

  test('reports all mistakes at once, each with its place and line', () => {
    const text = baseline(
      ENTRY.replace('forecast', '7').replace('2026-12-31', '2026-13-01'),
      ENTRY.replace('execute/', 'exec/').replace('reason: the old clients need the text', 'reason: ""'),
    );
    const { message, diagnostics } = suiteErrorOf(() => parse(text));
    expect(diagnostics.map(({ code, place }) => [code, place.line])).toEqual([
      ['wrong-type', 4],
      ['wrong-value', 8],
      ['wrong-value', 14],
    ]);
    expect(message).toContain('b.yaml:8:12: "2026-13-01" is not a calendar date [wrong-value]');
    expect(message).toContain('  8 |     until: 2026-13-01');
  });
});

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    'null',
    'true',
    '12',
    '1e3',
    ' a',
    'a ',
    'a: b',
    '- a',
    '# a',
    "it's",
    '"',
    '##[group]',
    '::a',
    '~',
    '2026-12-31',
    '{}',
    '&a',
    '*a',
    '!a',
    '%a',
    '\u2028',
    '\uD800',
    'a\nb',
    'yes',
    '0x1f',
    'Inf',
    '.inf',
  ),
);
const entry = fc.record({
  requirement: fc.constantFrom('health/status-200', 'mine/rule', 'execute/status-200'),
  function: fc.option(
    anyText.filter((text) => text !== ''),
    { nil: undefined },
  ),
  outcome: fc.constantFrom('failed', 'undecided', 'blocked'),
  fingerprint: fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 16, maxLength: 16 }),
    fc.constantFrom('1234567890123456', '0000000000000000', '123456789012e345'),
  ),
  reason: anyText.filter((text) => text.trim() !== ''),
  until: fc.constantFrom('2026-12-31', '2028-02-29'),
  evidence: fc.option(
    anyText.filter((text) => text.trim() !== ''),
    { nil: undefined },
  ),
});

describe('a written baseline', () => {
  test('is read back unchanged, and has no active characters', () => {
    const entries = fc.uniqueArray(entry, {
      maxLength: 6,
      selector: (one) => JSON.stringify([one.requirement, one.function, one.outcome, one.fingerprint]),
    });
    const count = fc.option(fc.nat(), { nil: undefined });
    fc.assert(
      fc.property(entries, count, count, (generated, exercised, definitionTokens) => {
        const given = generated.map((one) => JSON.parse(JSON.stringify(one)) as AcceptedFinding);
        const whole: Baseline = {
          entries: given,
          ...(exercised === undefined ? {} : { exercised }),
          ...(definitionTokens === undefined ? {} : { definitionTokens }),
        };
        const written = writeBaseline(whole);
        expect(read(written)).toEqual(whole);
        expect(written.replaceAll('\n', '')).not.toMatch(LIVE);
        expect(written).not.toMatch(/##[A-Za-z]*\[/);
      }),
      { numRuns: 500 },
    );
  });

  test('explains itself in comments', () => {
    expect(writeBaseline({ entries: [] })).toMatch(
      /^# yaml-language-server: \$schema=\S+\n#\n# Accepted findings/,
    );
    expect(writeBaseline({ entries: [] }, ['a note\nbaseline: v2'])).toContain(
      '# a note baseline: v2\nbaseline: v1\n',
    );
  });
});
