export type JsonObject = Readonly<Record<string, unknown>>;

type Described = { readonly description?: string };

/** The part of JSON Schema with which the reference functions describe their parameters and results. */
export type Schema =
  | (Described & { readonly type: 'string'; readonly enum?: readonly string[] })
  | (Described & {
      readonly type: 'number' | 'integer';
      readonly minimum?: number;
      readonly maximum?: number;
    })
  | (Described & { readonly type: 'boolean' })
  | (Described & { readonly type: 'array'; readonly items: Schema })
  | ObjectSchema;

export type ObjectSchema = Described & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

/** The type of the values that a schema describes, which a handler may rely on after validation. */
export type ValueOf<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly type: 'string' }
    ? string
    : S extends { readonly type: 'number' | 'integer' }
      ? number
      : S extends { readonly type: 'boolean' }
        ? boolean
        : S extends { readonly type: 'array'; readonly items: infer Items }
          ? readonly ValueOf<Items>[]
          : S extends { readonly properties: infer Properties }
            ? ObjectOf<Properties, RequiredOf<S>>
            : never;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type ObjectOf<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: ValueOf<Properties[Name]>;
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?: ValueOf<Properties[Name]>;
};

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns what is wrong with an input, in a sentence that names the parameter; undefined if it is valid. Its recursion
 * is only as deep as the schema, however deep the input is nested.
 */
export const validateInput = (parameters: ObjectSchema, input: JsonObject): string | undefined =>
  findPropertyProblem(parameters, input, '');

const findPropertyProblem = (schema: ObjectSchema, value: JsonObject, prefix: string): string | undefined => {
  // Own properties only, because every object inherits members such as toString.
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${prefix}${missing} is required.`;

  for (const [name, property] of Object.entries(schema.properties)) {
    const problem = Object.hasOwn(value, name)
      ? findProblem(property, value[name], `${prefix}${name}`)
      : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const findProblem = (schema: Schema, value: unknown, path: string): string | undefined => {
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string') return `${path} must be a string.`;
      if (schema.enum !== undefined && !schema.enum.includes(value)) {
        return `${path} must be one of: ${schema.enum.join(', ')}.`;
      }
      return undefined;
    case 'number':
    case 'integer':
      // JSON.parse reads 1e999 as Infinity, which JSON cannot represent.
      if (typeof value !== 'number' || !Number.isFinite(value)) return `${path} must be a finite number.`;
      if (schema.type === 'integer' && !Number.isInteger(value)) return `${path} must be an integer.`;
      if (schema.minimum !== undefined && value < schema.minimum)
        return `${path} must be ${schema.minimum} or more.`;
      if (schema.maximum !== undefined && value > schema.maximum)
        return `${path} must be ${schema.maximum} or less.`;
      return undefined;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${path} must be true or false.`;
    case 'array':
      if (!Array.isArray(value)) return `${path} must be an array.`;
      for (const [index, item] of value.entries()) {
        const problem = findProblem(schema.items, item, `${path}[${index}]`);
        if (problem !== undefined) return problem;
      }
      return undefined;
    case 'object':
      return isJsonObject(value)
        ? findPropertyProblem(schema, value, `${path}.`)
        : `${path} must be an object.`;
  }
};
