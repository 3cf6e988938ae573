import { readFileSync } from 'node:fs';
import { commandModels } from '../src/cli/help/command-model.ts';
import { manPage } from '../src/cli/help/man-page.ts';
import { createProgram } from '../src/cli/program.ts';
import { checks } from '../src/generated/checks.ts';
import { PROFILES } from '../src/generated/portability.ts';
import * as words from '../src/inputs/words-of-change.ts';
import type { JsonObject } from '../src/json/json.ts';
import { CHECK_SETTINGS, LATENCY_OPTIONS, MUTATING_OPTIONS } from '../src/model/check-options.ts';
import { docOf, type Options } from '../src/model/option.ts';
import type { Profile } from '../src/model/profile.ts';
import { levelWords, type Requirement, textFor } from '../src/model/requirement.ts';
import { scopeWords, sectionWords } from '../src/report/view/words.ts';
import { baselineLanguageParts, baselineShape } from '../src/suite/config/baseline.ts';
import { configLanguageParts, configShape } from '../src/suite/config/config-language.ts';
import { parseRegistry, requirementsShape } from '../src/suite/language/registry.ts';
import { suiteLanguageParts, suiteShape } from '../src/suite/language/suite-language.ts';
import { listingLanguageParts, listingShape } from '../src/suite/listing/listing-language.ts';
import { policyLanguageParts, policyShape } from '../src/suite/policy/policy-language.ts';
import type { RecordShape } from '../src/suite/yaml/mapping.ts';
import { corpusDocument } from '../test/malformed-responses/corpus-document.ts';

const WORD_LISTS: Readonly<Record<string, Iterable<string>>> = {
  'Verbs of change': words.VERBS_OF_CHANGE,
  'Words that are verbs of change or nouns': words.NOUNS_OR_VERBS_OF_CHANGE,
  'Verbs of change or of arithmetic': words.VERBS_OF_ARITHMETIC,
  'Words that indicate arithmetic': words.NOUNS_OF_ARITHMETIC,
  'Two words that together are a verb of change': words.COMPOUNDS_OF_CHANGE,
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

function section(name: string, { keys }: RecordShape): string {
  const rows = Object.entries(keys).map(
    ([key, { shape, doc, required }]) =>
      `| \`${key}\` | ${cell(shape.words)} | ${required ? 'yes' : ''} | ${cell(doc)} |`,
  );
  return [
    `## ${name}`,
    '',
    '| key | value | required | meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function optionRows(table: Options, of = ''): readonly string[] {
  return Object.entries(table).map(([name, option]) => {
    const { flag = '', key } = option;
    const code = (text: string): string => (text === '' ? '' : `\`${text}\``);
    return `| ${code(of + name)} | ${code(flag)} | ${code(key === undefined ? '' : of + key)} | ${cell(docOf(option))} |`;
  });
}

function requirementSection({ id, level, spec, text, why, fix, ...row }: Requirement): readonly string[] {
  const scope = scopeWords(row);
  const head = [levelWords(level), sectionWords(spec), ...(scope === '' ? [] : [scope])].join(', ');
  return [
    `## ${id}`,
    '',
    `${head}: ${textFor(text, 'rest')}.`,
    '',
    ...(typeof text === 'string' ? [] : [`In an MCP server: ${text.mcp}.`, '']),
    `**Why:** ${why}`,
    '',
    `**Fix:** ${textFor(fix, 'rest')}`,
    '',
    ...(typeof fix === 'string' ? [] : [`**Fix in an MCP server:** ${fix.mcp}`, '']),
  ];
}

const checkRows = [...checks.values()].map(({ name, decides, sees, options, reasons }) => {
  const named = Object.entries(options).map(([option, { doc }]) => `\`${option}\`: ${doc}`);
  const open = Object.entries(reasons).map(([reason, words]) => `\`${reason}\`: ${words}.`);
  return `| \`${name}\` | ${sees} | ${cell(decides)} | ${cell(named.join(' '))} | ${cell(open.join(' '))} |`;
});

function profileSection({ id, title, about, read, rules }: Profile): readonly string[] {
  const rows = rules.map(
    ({ id: rule, says, why, page }) => `| \`${rule}\` | ${cell(says)} | ${cell(why)} | [page](${page}) |`,
  );
  return [
    `### ${id}: ${title}`,
    '',
    `${about} Read on ${read}.`,
    '',
    '| rule | what the page says | what happens otherwise | |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ];
}

/** Every generated file by path. */
declare const VERSION: string;

const program = createProgram();

export const documents: Readonly<Record<string, string>> = {
  'docs/probity.1': manPage({
    version: VERSION,
    description: program.description(),
    commands: commandModels(program),
  }),
  'schemas/suite.schema.json': editorSchema('suite', 'Probity suite', suiteShape.schema),
  'schemas/config.schema.json': editorSchema('config', 'Probity configuration', configShape.schema),
  'schemas/requirements.schema.json': editorSchema(
    'requirements',
    'Probity registry of requirements',
    requirementsShape.schema,
  ),
  'schemas/baseline.schema.json': editorSchema('baseline', 'Probity baseline', baselineShape.schema),
  'schemas/listing.schema.json': editorSchema('listing', 'Probity listing', listingShape.schema),
  'schemas/policy.schema.json': editorSchema('policy', 'Policy of a directory', policyShape.schema),
  'docs/suite-language.md': [
    readFileSync('scripts/suite-language-guide.md', 'utf8').trimEnd(),
    '',
    '## Every key',
    '',
    'Generated by `npm run build` from the table that the loader uses; do not edit it by hand.',
    '',
    Object.entries(suiteLanguageParts)
      .map(([name, shape]) => section(name, shape as RecordShape))
      .join('\n\n'),
    '',
    '## Checks',
    '',
    'The input of a check is one of these: each `exchange`, answered or not; each `answer`; each answer with the expected',
    'status and a JSON body (`json`); all JSON answers to one repeated request (`repetitions`); everything that the step',
    'received (`step`); or the response times of its timed calls (`measurements`).',
    '',
    'Some checks return a reason if they cannot judge. Under `blockedBy`, name the requirement that is the cause.',
    '',
    '| check | sees | decides that | options | cannot judge |',
    '| --- | --- | --- | --- | --- |',
    ...checkRows,
    '',
  ].join('\n'),
  'docs/configuration.md': [
    readFileSync('scripts/configuration-guide.md', 'utf8').trimEnd(),
    '',
    '## Every key',
    '',
    'Generated by `npm run build` from the table that the loader uses; do not edit it by hand.',
    '',
    Object.entries(configLanguageParts)
      .map(([name, shape]) => section(name, shape as RecordShape))
      .join('\n\n'),
    '',
  ].join('\n'),
  'docs/options.md': [
    '# The options of a check',
    '',
    'Generated by `npm run build` from the table that the command line, the configuration and the library use; do not edit',
    'it by hand. Flags take precedence over the configuration, and the configuration over the defaults. Times are seconds on',
    'the command line (also `500ms`, `2m`) and in the configuration, and milliseconds in the library.',
    '',
    '| library | command line | configuration | meaning |',
    '| --- | --- | --- | --- |',
    ...optionRows(CHECK_SETTINGS),
    ...optionRows(MUTATING_OPTIONS, 'mutating.'),
    ...optionRows(LATENCY_OPTIONS, 'latency.'),
    '',
  ].join('\n'),
  'docs/baseline.md': [
    '# The baseline',
    '',
    'Generated by `npm run build` from the table that the loader uses; do not edit it by hand. How to use a baseline:',
    '[gates.md](gates.md).',
    '',
    Object.entries(baselineLanguageParts)
      .map(([name, shape]) => section(name, shape as RecordShape))
      .join('\n\n'),
    '',
  ].join('\n'),
  'docs/listing.md': [
    readFileSync('scripts/listing-guide.md', 'utf8').trimEnd(),
    '',
    '## Every key',
    '',
    'Generated by `npm run build` from the table that the loader uses; do not edit it by hand.',
    '',
    Object.entries(listingLanguageParts)
      .map(([name, shape]) => section(name, shape as RecordShape))
      .join('\n\n'),
    '',
  ].join('\n'),
  'docs/policy.md': [
    readFileSync('scripts/policy-guide.md', 'utf8').trimEnd(),
    '',
    '## Every key',
    '',
    'Generated by `npm run build` from the table that the loader uses; do not edit it by hand.',
    '',
    Object.entries(policyLanguageParts)
      .map(([name, shape]) => section(name, shape as RecordShape))
      .join('\n\n'),
    '',
  ].join('\n'),
  'docs/portability.md': [
    readFileSync('scripts/portability-guide.md', 'utf8').trimEnd(),
    '',
    '## The profiles',
    '',
    'Generated by `npm run build` from the files in `suites/portability/`; do not edit it by hand.',
    '',
    ...PROFILES.flatMap(profileSection),
  ].join('\n'),
  'docs/changing-functions.md': [
    readFileSync('scripts/changing-functions-guide.md', 'utf8').trimEnd(),
    '',
    '## The words',
    '',
    'Generated by `npm run build` from the word lists of the check. English verbs also match in the third person.',
    '',
    ...Object.entries(WORD_LISTS).flatMap(([title, words]) => [
      `**${title}**: ${[...words].toSorted().join(', ')}.`,
      '',
    ]),
  ].join('\n'),
  'docs/requirements.md': [
    '# The requirements',
    '',
    'Generated by `npm run build` from `suites/requirements.yaml`; do not edit it by hand. `probity explain ID` prints the same.',
    'Without a scope, a requirement is for every target of its area; a revision is one of the Model Context Protocol.',
    '',
    ...[
      ...parseRegistry(readFileSync('suites/requirements.yaml', 'utf8'), 'suites/requirements.yaml').values(),
    ].flatMap(requirementSection),
  ].join('\n'),
  'docs/malformed-responses.md': corpusDocument(),
};
