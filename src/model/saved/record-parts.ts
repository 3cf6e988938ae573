import * as Type from 'typebox';
import type { RecordSchema } from './record-schema.ts';

/** Parts that the schemas of several records share. */

export const text = Type.String();
export const count = Type.Integer({ minimum: 0 });
export const timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' });
export const milliseconds = Type.Number({ minimum: 0, description: 'Milliseconds.' });

export function oneOf<const Values extends readonly string[]>(
  values: Values,
  options: Type.TSchemaOptions = {},
) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });
}

export function listOf<Item extends Type.TSchema>(items: Item, options: Type.TSchemaOptions = {}) {
  return Type.Unsafe<readonly Type.Static<Item>[]>({ type: 'array', items, ...options });
}

export function orNull<Schema extends Type.TSchema & { readonly type: string }>(
  schema: Schema,
  options: Type.TSchemaOptions = {},
) {
  return Type.Unsafe<Type.Static<Schema> | null>({ ...schema, type: [schema.type, 'null'], ...options });
}

/** An object with unspecified members. */
export function anyObject<Value>(options: Type.TSchemaOptions = {}) {
  return Type.Unsafe<Value>({ type: 'object', additionalProperties: true, ...options });
}

/** A member that is a complete record, or null. */
export function wholeOrNull<Value>(schema: RecordSchema<Value>, options: Type.TSchemaOptions = {}) {
  return Type.Unsafe<Value | null>({ ...schema, type: ['object', 'null'], ...options });
}

/** A member that is a complete record. */
export function whole<Value>(schema: RecordSchema<Value>) {
  return Type.Unsafe<Value>(schema);
}

/** A member that is a record, as a reference to its `$id`. */
export function known<Value>({ $id }: RecordSchema<Value>) {
  return Type.Unsafe<Value>({ $ref: `${$id}#` });
}

/** A whole record. */
export function recordSchema<Members extends Type.TProperties>(
  members: Members,
  options: Type.TObjectOptions = {},
): RecordSchema<Readonly<Type.Static<Type.TObject<Members>>>> {
  return Type.Object(members, options) as object;
}
