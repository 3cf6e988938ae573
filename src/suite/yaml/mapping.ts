// The shapes of mappings: with names that the author chooses, or with the keys that a language has.
import { didYouMean, type Place } from './diagnostic.ts';
import { type Placed, type Shape, type ValueOf, wrongType } from './shape.ts';

export function mapOf<T>(
  shape: Shape<T>,
  keyWords = 'name',
): Shape<readonly (Placed<T> & { readonly key: string })[]> {
  const words = `a mapping from ${keyWords} to ${shape.words}`;
  return {
    words,
    schema: { type: 'object', additionalProperties: shape.schema },
    read: (tree, report) => {
      if (tree.kind !== 'map') return wrongType(report, tree, words);
      return tree.entries.flatMap(({ key, keyPlace, value }) => {
        const read = shape.read(value, report);
        return read === undefined ? [] : [{ key, value: read, place: keyPlace }];
      });
    },
  };
}

/** What is left of a mapping when its entries need no places. */
export function valuesByKey<T>(
  entries: readonly { readonly key: string; readonly value: T }[] = [],
): Readonly<Record<string, T>> {
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

export interface Key<T, Required extends boolean> {
  readonly shape: Shape<T>;
  readonly doc: string;
  readonly required: Required;
}

export function required<T>(shape: Shape<T>, doc: string): Key<T, true> {
  return { shape, doc, required: true };
}

export function optional<T>(shape: Shape<T>, doc: string): Key<T, false> {
  return { shape, doc, required: false };
}

type Keys = Readonly<Record<string, Key<unknown, boolean>>>;
type RecordOf<K extends Keys> = {
  readonly [P in keyof K as K[P]['required'] extends true ? P : never]: ValueOf<K[P]['shape']>;
} & {
  readonly [P in keyof K as K[P]['required'] extends true ? never : P]?: ValueOf<K[P]['shape']>;
};

/** Where a mapping and each of its keys is. Hidden from spreading and JSON, so that a value is passed on as it is. */
export interface Places {
  readonly place: Place;
  readonly keyPlaces: Readonly<Record<string, Place>>;
}

export interface RecordShape<K extends Keys = Keys> extends Shape<RecordOf<K> & Places> {
  readonly keys: K;
}

/**
 * A mapping with closed keys; the value has its places. A wrong key is reported and left out, so that one mistake does
 * not hide the next. Only a missing required key means no value.
 */
export function record<K extends Keys>(words: string, keys: K): RecordShape<K> {
  const names = Object.keys(keys);
  return {
    words,
    keys,
    schema: {
      type: 'object',
      additionalProperties: false,
      required: names.filter((name) => keys[name]?.required),
      properties: Object.fromEntries(
        Object.entries(keys).map(([name, { shape, doc }]) => [name, { description: doc, ...shape.schema }]),
      ),
    },
    read: (tree, report) => {
      if (tree.kind !== 'map') return wrongType(report, tree, words);
      const values: Record<string, unknown> = {};
      const keyPlaces: Record<string, Place> = {};
      for (const { key, keyPlace, value } of tree.entries) {
        keyPlaces[key] = keyPlace;
        const known = Object.hasOwn(keys, key) ? keys[key] : undefined;
        if (known === undefined)
          report('unknown-key', keyPlace, `unknown key "${key}"`, didYouMean(key, names, ''));
        const read = known?.shape.read(value, report);
        if (read !== undefined) values[key] = read;
      }
      const missing = names.filter((name) => keys[name]?.required && values[name] === undefined);
      for (const name of missing.filter((one) => !Object.hasOwn(keyPlaces, one)))
        report('missing-key', tree.place, `${words} has no key "${name}"`, howToAdd(name, keys[name]));
      if (missing.length > 0) return undefined;
      const places = { place: { value: tree.place }, keyPlaces: { value: keyPlaces } };
      return Object.defineProperties(values, places) as RecordOf<K> & Places;
    },
  };
}

/** Of the required keys, only the version of a file has a single value. */
function howToAdd(name: string, key: Key<unknown, boolean> | undefined): string {
  const values = key?.shape.schema.enum;
  return Array.isArray(values) && values.length === 1
    ? `Begin the file with \`${name}: ${String(values[0])}\`.`
    : `Add "${name}": ${key?.doc}`;
}
