import { readFileSync } from 'node:fs';
import { checks } from '../src/generated/checks.ts';
import type { JsonObject } from '../src/model/json.ts';
import * as words from '../src/run/words-of-change.ts';
import { baselineLanguageParts, baselineShape } from '../src/suite/baseline-language.ts';
import { configLanguageParts, configShape } from '../src/suite/config-language.ts';
import { listingLanguageParts, listingShape } from '../src/suite/listing-language.ts';
import { requirementsShape } from '../src/suite/requirements-language.ts';
import type { RecordShape } from '../src/suite/shape.ts';
import { suiteLanguageParts, suiteShape } from '../src/suite/suite-language.ts';
import { corpusDocument } from '../test/malformed-responses/corpus-document.ts';

const WORD_LISTS: Readonly<Record<string, Iterable<string>>> = {
  'Verbs of change': words.VERBS_OF_CHANGE,
  'Words that are verbs of change or nouns': words.NOUNS_OR_VERBS_OF_CHANGE,
  'Verbs of change or of arithmetic': words.VERBS_OF_ARITHMETIC,
  'Words that make arithmetic of them': words.NOUNS_OF_ARITHMETIC,
  'Two words that make one verb of change': words.COMPOUNDS_OF_CHANGE,
  'Verbs of reading': words.VERBS_OF_READING,
  'Words of change in other languages': words.FOREIGN_WORDS_OF_CHANGE,
  'Words of reading in other languages': words.FOREIGN_WORDS_OF_READING,
  'Words of change in scripts without spaces': words.UNSPACED_WORDS_OF_CHANGE,
};

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

function editorSchema(name: string, title: string, schema: JsonObject): string {
  const whole = { $schema: DRAFT, $id: `https://probity.invalid/schemas/${name}/v1`, title, ...schema };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

function section(name: string, { keys }: RecordShape<unknown>): string {
  const rows = Object.entries(keys).map(
    ([key, { shape, doc, required }]) =>
      `| \`${key}\` | ${cell(shape.words)} | ${required ? 'yes' : ''} | ${cell(doc)} |`,
  );
  return [
    `## ${name}`,
    '',
    '| key | value | required | what it means |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

const checkRows = [...checks.values()].map(({ name, decides, sees, options }) => {
  const named = Object.entries(options).map(([option, { doc }]) => `\`${option}\`: ${doc}`);
  return `| \`${name}\` | ${sees} | ${cell(decides)} | ${cell(named.join(' '))} |`;
});

/** Every generated file by its path. */
export const documents: Readonly<Record<string, string>> = {
  'schemas/suite.schema.json': editorSchema('suite', 'Probity suite', suiteShape.schema),
  'schemas/config.schema.json': editorSchema('config', 'Probity configuration', configShape.schema),
  'schemas/requirements.schema.json': editorSchema(
    'requirements',
    'Probity registry of requirements',
    requirementsShape.schema,
  ),
  'schemas/baseline.schema.json': editorSchema('baseline', 'Probity baseline', baselineShape.schema),
  'schemas/listing.schema.json': editorSchema('listing', 'Probity listing', listingShape.schema),
  'docs/suite-language.md': [
    '# The suite language',
    '',
    'Made by `npm run build` from the table that the loader reads by; do not edit it by hand. YAML 1.2, closed keys,',
    'no tags; anchors and aliases are fine. `${name.path}` stands for a value: alone it keeps its type, inside text it',
    'becomes text. Selectors are JSONPath (RFC 9535), values are described by JSON Schema (2020-12).',
    '',
    Object.entries(suiteLanguageParts)
      .map(([name, shape]) => section(name, shape as RecordShape<unknown>))
      .join('\n\n'),
    '',
    '## Checks',
    '',
    'What a check is given to see: each `exchange`, answered or not; each `answer`; each answer whose status was as',
    'expected and whose body is JSON (`json`); all JSON answers to one repeated request (`repetitions`); everything that',
    'the step received (`step`); or the response times of the calls that it timed (`measurements`).',
    '',
    '| check | sees | decides that | options |',
    '| --- | --- | --- | --- |',
    ...checkRows,
    '',
  ].join('\n'),
  'docs/configuration.md': [
    readFileSync('scripts/configuration-guide.md', 'utf8').trimEnd(),
    '',
    '## Every key',
    '',
    'Made by `npm run build` from the table that the loader reads by; do not edit it by hand.',
    '',
    Object.entries(configLanguageParts)
      .map(([name, shape]) => section(name, shape as RecordShape<unknown>))
      .join('\n\n'),
    '',
  ].join('\n'),
  'docs/baseline.md': [
    '# The baseline',
    '',
    'Made by `npm run build` from the table that the loader reads by; do not edit it by hand. How a baseline is used:',
    '[gates.md](gates.md).',
    '',
    Object.entries(baselineLanguageParts)
      .map(([name, shape]) => section(name, shape as RecordShape<unknown>))
      .join('\n\n'),
    '',
  ].join('\n'),
  'docs/listing.md': [
    readFileSync('scripts/listing-guide.md', 'utf8').trimEnd(),
    '',
    '## Every key',
    '',
    'Made by `npm run build` from the table that the loader reads by; do not edit it by hand.',
    '',
    Object.entries(listingLanguageParts)
      .map(([name, shape]) => section(name, shape as RecordShape<unknown>))
      .join('\n\n'),
    '',
  ].join('\n'),
  'docs/changing-functions.md': [
    readFileSync('scripts/changing-functions-guide.md', 'utf8').trimEnd(),
    '',
    '## The words',
    '',
    'Made by `npm run build` from the lists that the check reads. English verbs also count in their third person.',
    '',
    ...Object.entries(WORD_LISTS).flatMap(([title, words]) => [
      `**${title}**: ${[...words].toSorted().join(', ')}.`,
      '',
    ]),
  ].join('\n'),
  'docs/malformed-responses.md': corpusDocument(),
};
