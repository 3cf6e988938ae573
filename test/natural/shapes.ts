import type { Members } from './natural-server.ts';

/** Shorthands for JSON Schema, as many authors write them. */
export function object(properties: Members, optional: readonly string[] = []): Members {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: 'object', properties, required };
}

export function text(description: string, more: Members = {}): Members {
  return { type: 'string', description, ...more };
}

export function integer(description: string, more: Members = {}): Members {
  return { type: 'integer', description, ...more };
}

export function number(description: string, more: Members = {}): Members {
  return { type: 'number', description, ...more };
}

export function flag(description: string, more: Members = {}): Members {
  return { type: 'boolean', description, ...more };
}

export function list(items: Members, description: string, more: Members = {}): Members {
  return { type: 'array', items, description, ...more };
}
