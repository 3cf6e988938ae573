import type { Members } from '../natural-server.ts';

/** With a type where values are listed: each parameter and each key of a result must have one. */
export function typed(schema: Members): Members {
  if ('type' in schema || '$ref' in schema) return schema;
  const listed = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(listed)) return { ...typeOf(listed), ...schema };
  const alternatives = Object.entries(schema).map(([keyword, parts]) =>
    keyword === 'anyOf' || keyword === 'oneOf'
      ? [keyword, (parts as Members[]).map(typed)]
      : [keyword, parts],
  );
  return Object.fromEntries(alternatives);
}

function typeOf(values: readonly unknown[]): Members {
  const names = [...new Set(values.map(typeName))];
  return { type: names.length === 1 ? names[0] : names };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? 'integer' : typeof value;
}
