import { canonicalJson, type Json } from '../../../src/json/json.ts';
import type { Members } from '../natural-server.ts';

/** A schema with values that are meant to be valid. A few may be invalid, so the whole is validated at the end. */
export interface Made {
  readonly schema: Members;
  readonly values: readonly unknown[];
}

const MAX_VALUES = 6;

export function made(schema: Members, values: readonly unknown[]): Made {
  return { schema: withoutUndefined(schema), values: values.slice(0, MAX_VALUES) };
}

function withoutUndefined(schema: Members): Members {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

/** The values in turn. */
export function valueAt({ values }: Made, index: number): unknown {
  return values[index % values.length];
}

export function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [canonicalJson(value as Json), value])).values()];
}
