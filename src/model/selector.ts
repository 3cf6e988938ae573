import { type JSONPathQuery, jsonpath } from 'json-p3';
import { type Json, jsonPointer } from './json.ts';

export interface SelectedNode {
  readonly value: Json;
  /** RFC 6901 pointer to it. */
  readonly pointer: string;
}

export type CompiledSelector =
  | { readonly select: (value: Json) => readonly SelectedNode[] }
  | { readonly problem: string; readonly index: number };

const compiled = new Map<string, CompiledSelector>();

/** Compiles a JSONPath (RFC 9535) once. An invalid text gives the problem and its position. */
export function compileSelector(at: string): CompiledSelector {
  const known = compiled.get(at);
  if (known !== undefined) return known;
  const result = compile(at);
  compiled.set(at, result);
  return result;
}

function compile(at: string): CompiledSelector {
  let query: JSONPathQuery;
  try {
    query = jsonpath.compile(at);
  } catch (error) {
    const token = (error as { token?: { index?: number } }).token;
    const message = error instanceof Error ? error.message : String(error);
    const problem = message.replace("can't backup beyond start", 'it ends too early').replace(/ \('.*$/s, '');
    return { problem, index: token?.index ?? 0 };
  }
  return {
    select: (value) =>
      query.query(value as Parameters<JSONPathQuery['query']>[0]).nodes.map((node) => ({
        value: node.value as Json,
        pointer: jsonPointer(node.location),
      })),
  };
}

/** The nodes that a selector finds; the loader has already refused invalid selectors. */
export function select(at: string, value: Json): readonly SelectedNode[] {
  const selector = compileSelector(at);
  if ('problem' in selector) throw new Error(`not a JSONPath: ${at}: ${selector.problem}`);
  return selector.select(value);
}
