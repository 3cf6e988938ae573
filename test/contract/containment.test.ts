import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contains } from '../../src/contract/containment/contains.ts';
import { arbitraryOf } from '../../src/inputs/arbitrary-of-schema.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { runs } from '../property-runs.ts';
import { anyPairs, editedPairs, type SchemaPair } from './schema-pairs.ts';

/** Of each kind; more with PROBITY_SCHEMA_PAIRS=6000 (about three minutes). */
const PAIRS = Number(process.env.PROBITY_SCHEMA_PAIRS ?? 220);
const VALUES = 200;

function answer(wide: Json, narrow: Json) {
  return contains({ schema: wide, root: wide }, { schema: narrow, root: narrow });
}

/** Ajv validates as draft 2020-12 says, with code that the product does not use for schemas of targets. */
function validator(schema: JsonObject): Accepts {
  const validate = ajv.compile(schema);
  return (value) => {
    try {
      return validate(value);
    } catch {
      // Code that Ajv makes for `unevaluatedProperties` beside `$ref` can throw: nothing is known of the value.
      return undefined;
    }
  };
}

type Accepts = (value: Json) => boolean | undefined;

// With `allErrors`: without it, Ajv 8.20 skips `contains` beside `prefixItems` for an empty list.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false });

/** Values near both schemas, and any others. */
function valuesFor(pair: SchemaPair, seed: number): readonly Json[] {
  const made = [pair.before, pair.after].map((schema) => arbitraryOf(schema, 'any'));
  // Ajv calls the `valueOf` and `toString` of values that it compares.
  const any = (fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>).filter(
    (value) => !/"(?:valueOf|toString)":/.test(JSON.stringify(value)),
  );
  const sources = [...made.filter((one) => one !== null), any];
  return sources.flatMap((source) =>
    fc.sample(source, { seed, numRuns: Math.ceil(VALUES / sources.length) }),
  );
}

/** Checks both answers about a pair; returns them. */
function checked({ before, after }: SchemaPair, seed: number): readonly string[] {
  const [inBefore, inAfter] = [validator(before), validator(after)];
  const values = valuesFor({ before, after }, seed);
  const directions = [
    { wide: after, narrow: before, inWide: inAfter, inNarrow: inBefore },
    { wide: before, narrow: after, inWide: inBefore, inNarrow: inAfter },
  ];
  return directions.map(({ wide, narrow, inWide, inNarrow }) => {
    const found = answer(wide, narrow);
    const pair = JSON.stringify({ wide, narrow });
    if (found.answer === 'yes') {
      const disproof = values.find((value) => inNarrow(value) === true && inWide(value) === false);
      if (disproof !== undefined) expect.fail(`${JSON.stringify(disproof)} disproves "yes" of ${pair}`);
    }
    if (found.answer === 'no' && (inNarrow(found.witness) === false || inWide(found.witness) === true))
      expect.fail(`${JSON.stringify(found.witness)} is no witness for ${pair}`);
    return found.answer;
  });
}

function share(answers: readonly string[], wanted: string): number {
  return answers.filter((one) => one === wanted).length / answers.length;
}

function words(answers: readonly string[]): string {
  return ['yes', 'no', 'unknown']
    .map((one) => `${one} ${(100 * share(answers, one)).toFixed(1)} %`)
    .join(', ');
}

describe('generated pairs of schemas', () => {
  test('that differ by one edit: no answer is disproved, and few are unknown', () => {
    const pairs = fc.sample(editedPairs, { seed: 46, numRuns: runs(PAIRS) });
    const answers = pairs.flatMap((pair, index) => checked(pair, index));
    process.stdout.write(`${pairs.length} edited pairs, both directions: ${words(answers)}\n`);
    expect(share(answers, 'unknown')).toBeLessThan(0.1);
    expect(share(answers, 'yes')).toBeGreaterThan(0.2);
    expect(share(answers, 'no')).toBeGreaterThan(0.2);
  });

  test('with every keyword: no answer is disproved', () => {
    const pairs = fc.sample(anyPairs, { seed: 47, numRuns: runs(PAIRS) });
    const usable = pairs.filter(({ before, after }) => isUsable(before) && isUsable(after));
    const answers = usable.flatMap((pair, index) => checked(pair, index));
    process.stdout.write(`${usable.length} pairs with any keywords, both directions: ${words(answers)}\n`);
    expect(share(answers, 'yes')).toBeGreaterThan(0.1);
    expect(share(answers, 'no')).toBeGreaterThan(0.1);
  });
});

/** A schema that refers to itself without end is not: Ajv overflows its stack. */
function isUsable(schema: JsonObject): boolean {
  try {
    const validate = ajv.compile(schema);
    for (const value of [null, true, 1, 'a', [], [1], {}, { a: 1, b: {}, path: 'a' }]) validate(value);
    return true;
  } catch {
    return false;
  }
}
