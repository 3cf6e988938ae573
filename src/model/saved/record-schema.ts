/**
 * The subset of JSON Schema that the records of the platform API use. `Value` is the type of valid values; it is
 * expressed without TypeBox, whose declarations are not part of the package.
 */
export interface RecordSchema<Value = unknown> {
  /** Only for the type; never set. */
  readonly '~value'?: Value;
  readonly $id?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: RecordSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, RecordSchema>>;
}

/** The type of the values that are valid against a schema. */
export type RecordOf<Schema extends RecordSchema> = Exclude<Schema['~value'], undefined>;

/** The constraints of a schema in words: `a number from 0 to 100`. Pure. */
export function schemaWords(schema: RecordSchema): string {
  if (schema.$ref !== undefined) return `a ${schema.$ref.replace('#', '')}`;
  const [type, ...others] = [schema.type].flat();
  if (others.length > 0) return `${schemaWords({ ...schema, type: type ?? '' })}, or null`;
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  switch (type) {
    case 'string':
      return `a string${lengthWords(schema)}`;
    case 'number':
      return `a number${rangeWords(schema)}`;
    case 'integer':
      return `a whole number${rangeWords(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return schema.items === undefined ? 'an array' : `an array, each item ${schemaWords(schema.items)}`;
    default:
      return schema.required === undefined ? 'an object' : `an object with ${schema.required.join(', ')}`;
  }
}

function lengthWords({ minLength = 0, maxLength }: RecordSchema): string {
  if (maxLength !== undefined)
    return minLength > 0
      ? ` of ${minLength} to ${maxLength} characters`
      : ` of at most ${maxLength} characters`;
  return minLength > 0 ? ' that is not empty' : '';
}

function rangeWords({ minimum, maximum }: RecordSchema): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`;
}
