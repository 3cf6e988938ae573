import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly, stringifyExactly } from '../../src/json/exact-json.ts';
import type { Json } from '../../src/json/json.ts';
import { plainValue } from '../../src/suite/yaml/tree.ts';
import { writeYaml } from '../../src/suite/yaml/write-yaml.ts';
import { parseYaml } from '../../src/suite/yaml/yaml-tree.ts';
import { anyCharacter } from '../any-character.ts';
import { runs } from '../property-runs.ts';

const SEED = 20_260_131;

/** Any text, with special characters of YAML, terminals and editors. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(
      fc.constantFrom(
        ...[
          '\n',
          '\r',
          '\t',
          ' ',
          '#',
          ': ',
          '- ',
          '? ',
          '"',
          "'",
          '{',
          ']',
          '&a',
          '*a',
          '!!int',
          '|',
          '>',
          '%',
        ],
        ...[
          '---',
          '...',
          '<<',
          '~',
          'null',
          '0x1',
          '1e3',
          'yes',
          '\u2028',
          '\u0085',
          '\u202E',
          '\uD800',
          '\u{E0041}',
        ],
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
);

const anyJson = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('writeYaml', () => {
  it('writes any text so that the loader reads it back unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, anyJson, { maxKeys: 4 }), fc.array(anyText), (values, comment) => {
        const entries = Object.entries(values).map(([key, value]) => ({ comment, key, value }));
        const text = writeYaml([
          { comment },
          { comment, key: 'samples', entries },
          { comment, key: 'last', value: 1 },
        ]);
        const { tree, diagnostics } = parseYaml(text, 'generated.yaml');
        expect(diagnostics).toEqual([]);
        expect(tree === null ? null : JSON.stringify(plainValue(tree))).toBe(
          JSON.stringify({ samples: values, last: 1 }),
        );
      }),
      { seed: SEED, numRuns: runs(300) },
    );
  });

  it('writes no invisible characters', () => {
    fc.assert(
      fc.property(anyText, anyText, (key, value) => {
        const text = writeYaml([
          { comment: [key], key: 'samples', entries: [{ comment: [value], key, value }] },
        ]);
        expect(text.replaceAll('\n', '')).not.toMatch(
          /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u,
        );
      }),
      { seed: SEED, numRuns: runs(300) },
    );
  });
});

it('numbers keep the digits that they are written with', () => {
  const text = '{"id":174322306148984899,"list":[-0.1000000000000000055,1]}';
  const written = writeYaml([{ comment: [], key: 'samples', value: parseExactly(text) }]);
  expect(written).toContain('id: 174322306148984899\n');
  const { tree } = parseYaml(written, 'probity.config.yaml');
  expect(tree && stringifyExactly(plainValue(tree))).toBe(`{"samples":${text}}`);
});
