import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hitIn } from '../../../src/checks/texts/apply-rule.ts';
import { lookOf, mixesAlphabets } from '../../../src/checks/texts/names-apart.ts';
import { TEXT_SUBJECTS } from '../../../src/generated/texts.ts';
import type { LookAlikeRule, PatternRule, TextSubject } from '../../../src/model/text-rule.ts';

type WithExamples<Rule> = Rule & { readonly pass: readonly string[]; readonly fail: readonly string[] };
type Subject = Omit<TextSubject, 'rules'> & {
  readonly rules: readonly WithExamples<PatternRule | LookAlikeRule>[];
};

const folder = path.resolve('suites/texts');
const subjects = readdirSync(folder).map(
  (file) => [file, parse(readFileSync(path.join(folder, file), 'utf8')) as Subject] as const,
);
const rules = subjects.flatMap(([, { rules: own }]) => own);
const patternRules = rules.filter((rule): rule is WithExamples<PatternRule> => rule.kind !== 'look-alike');
const lookAlikeRules = rules.filter(
  (rule): rule is WithExamples<LookAlikeRule> => rule.kind === 'look-alike',
);

const OWN_NAMES = new Set(['add', 'own_tool']);

const firstHit = (rule: PatternRule, text: string) => hitIn(text, rule, (name) => OWN_NAMES.has(name));

function isFound(rule: PatternRule, text: string): boolean {
  return firstHit(rule, text) !== null;
}

describe.each(patternRules.map((rule) => [rule.id, rule] as const))('the rule %s', (_id, rule) => {
  it.each(rule.fail)('finds %j', (text) => expect(isFound(rule, text)).toBe(true));
  it.each(rule.pass)('lets %j pass', (text) => expect(isFound(rule, text)).toBe(false));

  it('finds its failing example also in the middle of a long text', () => {
    const around = `${'A quiet text about nothing. '.repeat(50)}\n`;
    for (const text of rule.fail) expect(isFound(rule, `${around}${text}\n${around}`), text).toBe(true);
  });

  it('has only bounded repetitions, so that a search takes time in proportion to the text', () => {
    for (const source of [rule.pattern, rule.unless, rule.unlessBefore, rule.unlessText])
      if (source !== undefined) expect(hasUnbounded(source), source).toBe(false);
  });
});

const builtRules = TEXT_SUBJECTS.flatMap((subject) => subject.rules).filter(
  (rule): rule is PatternRule => rule.kind !== 'look-alike',
);

describe('the words and characters that a pattern needs', () => {
  const examples = patternRules.flatMap(({ pass, fail }) => [...pass, ...fail]);
  const plain = examples.map((text) => text.replaceAll(/[^\t\n\r -~]/gu, 'k'));
  const texts = [...examples, ...plain].flatMap((text) => [
    text,
    text.toUpperCase(),
    text.replaceAll('s', '\u017F').replaceAll('k', '\u212A'),
  ]);

  it.each(builtRules.map((rule) => [rule.id, rule] as const))('change no hit of the rule %s', (_id, rule) => {
    const { words: _, isBeyondPlain: _plain, ...whole } = rule;
    const knows = (name: string) => OWN_NAMES.has(name);
    for (const text of texts) expect(hitIn(text, rule, knows), text).toEqual(hitIn(text, whole, knows));
  });

  it('leave out most texts, and are known of most rules', () => {
    const withWords = builtRules.filter(({ words }) => words !== undefined);
    expect(withWords.length).toBeGreaterThan(builtRules.length / 2);
    const { words = [] } = withWords.find(({ id }) => id === 'override') ?? {};
    expect(words.map(([first]) => first)).toContainEqual(
      expect.arrayContaining(['ignore', 'disregard', 'forget']),
    );
  });

  it('leave out plain text where a rule is about characters that nobody sees', () => {
    const beyond = builtRules.filter(({ isBeyondPlain }) => isBeyondPlain === true).map(({ id }) => id);
    const { rules: visible } = TEXT_SUBJECTS.find(({ subject }) => subject === 'visible') ?? { rules: [] };
    expect(beyond).toEqual(visible.map(({ id }) => id));
  });
});

describe('whether a pattern needs more than plain text', () => {
  it.each([
    ['[\\u200b-\\u200d]', true],
    ['a\\u200b|\\u200c{1,3}', true],
    ['(?:\\u200b|[\\u{E000}-\\u{F8FF}])x', true],
    ['[\\0-\\x08\\x0B\\x7F]', true],
    ['a|\\u200b', false],
    ['\\u200b?', false],
    ['(?=\\u200b)', false],
    ['[^a]', false],
    ['[\\0-\\x09]', false],
    ['[a\\u200b]', false],
    ['\\p{L}', false],
    ['[\\u0100-\\u0200]', false],
    ['[\\u2120-\\u2130]', false],
  ])('%s: %s', async (pattern, isBeyond) => {
    const script = path.resolve('scripts/words-of-pattern.mjs');
    const { isBeyondPlain } = (await import(script)) as { isBeyondPlain: (source: string) => boolean };
    expect(isBeyondPlain(pattern)).toBe(isBeyond);
  });
});

function hasUnbounded(source: string): boolean {
  let found = false;
  visitRegExpAST(new RegExpParser().parsePattern(source, 0, source.length, { unicode: true }), {
    onQuantifierEnter: ({ max }) => {
      found ||= max === Number.POSITIVE_INFINITY;
    },
  });
  return found;
}

describe.each(lookAlikeRules.map((rule) => [rule.id, rule] as const))('the rule %s', (_id, rule) => {
  const areAlike = (line: string): boolean => {
    const names = line.split(' ');
    if (rule.alike.length === 0) return names.some(mixesAlphabets);
    return new Set(names.map((name) => lookOf(name, rule))).size < names.length;
  };
  it.each(rule.fail)('finds %j', (line) => expect(areAlike(line)).toBe(true));
  it.each(rule.pass)('lets %j pass', (line) => expect(areAlike(line)).toBe(false));
});

it('finds what stands at the end of a text of 10 MB', { timeout: 600_000 }, () => {
  const long = 'Reads a file, and returns what it contains as a text. '.repeat(200_000);
  for (const rule of patternRules) {
    const [bad = ''] = rule.fail;
    // The first match that counts is at the end, so the text before it has none.
    expect(firstHit(rule, `${long}\n${bad}`)?.index, rule.id).toBeGreaterThanOrEqual(long.length);
  }
});

it('has an id for each rule once', () => {
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
});
