import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TARGET_KINDS } from '../../src/model/suite.ts';
import { parseConfig } from '../../src/suite/config/parse-config.ts';
import { parseSuites } from '../../src/suite/language/parse-suites.ts';
import { parseRegistry } from '../../src/suite/language/registry.ts';
import { productSuiteFiles } from '../../src/suite/product-files.ts';
import { readSource } from '../../src/suite/read-source.ts';
import { type Diagnostic, SuiteError } from '../../src/suite/yaml/diagnostic.ts';
import { parseYaml } from '../../src/suite/yaml/yaml-tree.ts';
import { anyCharacter } from '../any-character.ts';
import { catalogue, FILE, product, sourceOf } from './loading.ts';

const SEED = 20_260_131;
const productTexts = TARGET_KINDS.flatMap(productSuiteFiles).map(({ file }) => readSource(file).text);

/** Pieces of YAML, so that generated text gets beyond its first character. */
const pieces = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom(
    ...[
      'suite: v1',
      'id: a',
      'title: T',
      'steps:',
      'request: ',
      'expect: ',
      'status: ',
      'get: /x',
      'is: 200',
    ],
    ...[
      '\n',
      '\r\n',
      '\r',
      '  ',
      '\t',
      '- ',
      ': ',
      '{',
      '}',
      '[',
      ']',
      ', ',
      '? ',
      '&a ',
      '*a ',
      '!t ',
      '!!omap ',
      '!!set ',
    ],
    ...[
      '|\n',
      '>\n',
      '"',
      "'",
      '# c\n',
      '---\n',
      '...\n',
      '%YAML 1.1\n',
      '%TAG ! x:\n',
      '<<: ',
      '${',
      '.nan',
      '\uFEFF',
      '\u2028',
    ],
  ),
);
const yamlLike = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''));

interface Mutation {
  readonly kind: 'delete' | 'insert' | 'duplicate';
  readonly at: number;
  readonly length: number;
  readonly insert: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('delete', 'insert', 'duplicate'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 120 }),
  insert: yamlLike,
});

function mutate(text: string, { kind, at, length, insert }: Mutation): string {
  const start = Math.floor(at * text.length);
  const slice = text.slice(start, start + length);
  if (kind === 'delete') return text.slice(0, start) + text.slice(start + length);
  return text.slice(0, start) + (kind === 'insert' ? insert : slice) + text.slice(start);
}

function expectPlacesInside(diagnostics: readonly Diagnostic[], text: string): void {
  const lines = text.split(/\r?\n/);
  for (const { place, message, suggestion } of diagnostics) {
    const line = lines[place.line - 1];
    if (line === undefined) throw new Error(`line ${place.line} of ${lines.length}: ${message}`);
    // A missing value is reported one column past the end; a carriage return is not a column.
    if (place.column < 1 || place.column > line.length + 2)
      throw new Error(`column ${place.column} of ${line.length}: ${message}`);
    expect(place.length).toBeGreaterThanOrEqual(1);
    expect(suggestion, message).not.toBe('');
  }
}

/** The work must succeed, or throw a SuiteError whose places are inside the text. */
function expectReadOrRefused(work: () => unknown, text: string): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    expect(error.diagnostics).not.toHaveLength(0);
    expectPlacesInside(error.diagnostics, text);
  }
}

describe('any text is read or refused', () => {
  test('as a suite, a registry and a configuration', () => {
    fc.assert(
      fc.property(yamlLike, (text) => {
        expectReadOrRefused(() => parseSuites([sourceOf(text)], catalogue), text);
        expectReadOrRefused(() => parseRegistry(text, FILE), text);
        expectReadOrRefused(() => parseConfig(text, FILE), text);
      }),
      { numRuns: 1500, seed: SEED },
    );
  });

  test('as YAML, with a reason', () => {
    fc.assert(
      fc.property(yamlLike, (text) => {
        const { tree, diagnostics } = parseYaml(text, FILE);
        expectPlacesInside(diagnostics, text);
        expect(tree !== null || diagnostics.length > 0).toBe(true);
      }),
      { numRuns: 1500, seed: SEED },
    );
  });

  test('a suite of the product with up to three slices deleted, inserted or duplicated', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...productTexts),
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        (original, mutations) => {
          const text = mutations.reduce(mutate, original);
          const others = product.suites.filter(({ id }) => !original.includes(`\nid: ${id}\n`));
          expectReadOrRefused(() => parseSuites([sourceOf(text)], catalogue, others), text);
        },
      ),
      { numRuns: 400, seed: SEED },
    );
  });
});
