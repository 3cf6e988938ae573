import { isJsonObject, type Json, type JsonObject, sameJson } from '../../json/json.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import {
  alternativesOf,
  type Conjunction,
  listedValues,
  memberNames,
  propertyTogether,
  typesTogether,
  valuesOf,
} from '../keywords-together.ts';
import { sampleValue } from '../sample-value.ts';
import { firstOf } from './alternately.ts';
import { edgeBudget, edgeValues } from './edge-values.ts';

export interface PairedInput {
  readonly first: JsonObject;
  readonly second: JsonObject;
}

/** Makes the pair with values that no other trial has; null if the schema refuses it. */
export type MakePair = (trial: number) => PairedInput | null;

interface Parameter {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'whole' | 'other';
  readonly isRequired: boolean;
  /** Valid values. */
  readonly values: readonly Json[];
}

const MAX_PARAMETERS = 12;
const MAX_VALUES = 12;
const MAX_TRIED = 300;
const OFFSETS = [0, 4, 9];
/** Lengths after which keys and columns are cut. */
const CUTS = [16, 8, 32, 64, 128, 255];
/** Texts that a careless key confuses: by case, blanks, or Unicode normal form. */
const CONFUSED = [
  ['A', 'a'],
  ['é', 'e\u0301'],
  ['\u212a', 'K'],
  ['a', 'a '],
  ['ß', 'ss'],
] as const;

/**
 * Pairs of valid inputs that a wrong cache or a shared variable confuses: the answer to the second then has data of the
 * first. Pure.
 */
export function pairedInputs(
  parameters: Json,
  proven: JsonObject,
  schemas: SchemaEvaluator,
): readonly MakePair[] {
  const schema = schemas.foreign(parameters);
  if (schema.kind !== 'usable') return [];
  const accepts = (input: Json): boolean => schema.apply(input).kind === 'valid';
  const [all = []] = alternativesOf(parameters, parameters);
  const known = parametersIn(all, parameters, proven, accepts);
  const optional = known.filter((parameter) => !parameter.isRequired);
  const isOptional = (name: string): boolean => optional.some((parameter) => parameter.name === name);
  const base = Object.fromEntries(Object.entries(proven).filter(([name]) => !isOptional(name)));
  const fresh = (trial: number): JsonObject => {
    let made: JsonObject = base;
    for (const parameter of known) {
      if (!Object.hasOwn(base, parameter.name)) continue;
      const more = { ...made, [parameter.name]: freshValue(parameter, trial) };
      if (accepts(more)) made = more;
    }
    return made;
  };
  const checked =
    (make: (trial: number) => PairedInput): MakePair =>
    (trial) => {
      const pair = make(trial);
      return accepts(pair.first) && accepts(pair.second) && !sameJson(pair.first, pair.second) ? pair : null;
    };
  const texts = known.filter(({ kind }) => kind === 'text');
  const numbers = known.filter(({ kind }) => kind === 'number');
  const withText = (trial: number, { name }: Parameter, of: (tag: string) => string): JsonObject => ({
    ...fresh(trial),
    [name]: of(tagOf(trial)),
  });
  const pair = (first: JsonObject, second: JsonObject): PairedInput => ({ first, second });
  return [
    (trial: number) => pair(fresh(2 * trial), fresh(2 * trial + 1)),
    ...optional.flatMap((parameter) => [
      // Several times, because a value may be the default or equal to the one before.
      ...OFFSETS.map(
        (offset) => (trial: number) =>
          pair({ ...fresh(trial), [parameter.name]: valueAt(parameter, trial + offset) }, fresh(trial)),
      ),
      (trial: number) => pair(fresh(trial), { ...fresh(trial), [parameter.name]: valueAt(parameter, trial) }),
    ]),
    ...known.map(
      (parameter) => (trial: number) =>
        pair(
          { ...fresh(trial), [parameter.name]: freshValue(parameter, 2 * trial) },
          { ...fresh(trial), [parameter.name]: freshValue(parameter, 2 * trial + 1) },
        ),
    ),
    ...texts.flatMap((parameter) => [
      ...CONFUSED.map(
        ([one, other]) =>
          (trial: number) =>
            pair(
              withText(trial, parameter, (tag) => tag + one),
              withText(trial, parameter, (tag) => tag + other),
            ),
      ),
      ...CUTS.map(
        (length) => (trial: number) =>
          pair(
            withText(trial, parameter, (tag) => tag.padEnd(length, 'a')),
            withText(trial, parameter, (tag) => tag.padEnd(length + 1, 'a')),
          ),
      ),
    ]),
    ...numbers.map(
      ({ name }) =>
        (trial: number) =>
          pair({ ...fresh(trial), [name]: trial }, { ...fresh(trial), [name]: trial + 0.1 }),
    ),
    ...texts.flatMap((one) =>
      texts
        .filter((other) => other !== one)
        .map(
          (other) => (trial: number) =>
            pair(
              { ...fresh(trial), [one.name]: '', [other.name]: tagOf(trial) },
              { ...fresh(trial), [one.name]: tagOf(trial), [other.name]: '' },
            ),
        ),
    ),
  ].map(checked);
}

function parametersIn(
  all: Conjunction,
  root: Json,
  proven: JsonObject,
  accepts: (input: Json) => boolean,
): readonly Parameter[] {
  const required = new Set(valuesOf(all, 'required').flat());
  return memberNames(all, proven)
    .slice(0, MAX_PARAMETERS)
    .map((name) => {
      const schema = propertyTogether(all, name);
      const candidates = [...completeObjects(schema, name, root), ...edgeValues(schema, name, root)];
      // Validating all values would take longer than the calls.
      const tried = candidates.slice(0, MAX_TRIED);
      const values = firstOf(tried, MAX_VALUES, (value) => accepts({ ...proven, [name]: value }));
      return { name, kind: kindOf(schema, root), isRequired: required.has(name), values };
    });
}

/** Objects in which every member has another value than in the one before. */
function completeObjects(schema: Json, name: string, root: Json): readonly JsonObject[] {
  const usual = sampleValue(schema, name, root);
  if (!isJsonObject(usual)) return [];
  const [all = []] = alternativesOf(schema, root);
  const left = edgeBudget();
  const members = memberNames(all, usual).map(
    (key) => [key, edgeValues(propertyTogether(all, key), key, root, left)] as const,
  );
  return Array.from({ length: MAX_VALUES }, (_, index) =>
    Object.fromEntries(
      members.map(([key, values]) => [key, values[index % Math.max(1, values.length)] ?? null]),
    ),
  );
}

/** Texts with a format, a pattern or a list of values cannot be chosen freely. */
function kindOf(schema: Json, root: Json): Parameter['kind'] {
  const [all = []] = alternativesOf(schema, root);
  const [type, ...others] = typesTogether(all) ?? [];
  const isBound = ['format', 'pattern'].some((keyword) => valuesOf(all, keyword).length > 0);
  if (others.length > 0 || isBound || listedValues(all) !== null) return 'other';
  if (type === 'string') return 'text';
  return type === 'number' ? 'number' : type === 'integer' ? 'whole' : 'other';
}

function freshValue(parameter: Parameter, trial: number): Json {
  if (parameter.kind === 'text') return tagOf(trial);
  if (parameter.kind === 'other') return valueAt(parameter, trial);
  return trial;
}

function valueAt({ values }: Parameter, trial: number): Json {
  return values[trial % Math.max(1, values.length)] ?? null;
}

const LETTERS = 'bcdefghijklmnopqrstuvwxyz';

/** "b", "c", … "z", "bb", … */
function tagOf(trial: number): string {
  const letter = LETTERS[trial % LETTERS.length] ?? 'b';
  const rest = Math.floor(trial / LETTERS.length);
  return rest === 0 ? letter : tagOf(rest - 1) + letter;
}
