import { JSONPathEnvironment, type JSONPathQuery } from 'json-p3';
import { isJsonObject, type Json, jsonPointer, MAX_JSON_DEPTH } from './json.ts';

export interface SelectedNode {
  readonly value: Json;
  /** RFC 6901 pointer to it. */
  readonly pointer: string;
}

/** What a selector finds in a value. */
export type Selection =
  | { readonly kind: 'selected'; readonly nodes: readonly SelectedNode[] }
  /** The harness cannot decide. The reason completes "the selector cannot be applied: …". */
  | { readonly kind: 'undecided'; readonly reason: string };

export type CompiledSelector =
  | { readonly select: (value: Json) => Selection }
  | { readonly problem: string; readonly index: number };

const compiled = new Map<string, CompiledSelector>();

/** Compiles a JSONPath (RFC 9535) once. An invalid text gives the problem and its position. */
export function compileSelector(at: string): CompiledSelector {
  const result = compiled.get(at) ?? compile(at);
  compiled.set(at, result);
  return result;
}

/** `..` visits every level of a body that is judged, and the value below the last one. */
const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_JSON_DEPTH + 2 });

function compile(at: string): CompiledSelector {
  let query: JSONPathQuery;
  try {
    query = environment.compile(at);
  } catch (error) {
    const token = (error as { token?: { index?: number } }).token;
    const message = error instanceof Error ? error.message : String(error);
    const problem = message.replace("can't backup beyond start", 'it ends too early').replace(/ \('.*$/s, '');
    return { problem, index: token?.index ?? 0 };
  }
  const descends = at.includes('..');
  return { select: (value) => (descends && isTooLarge(value) ? BEYOND : apply(query, value)) };
}

/** The steps of all places together, which take most of the memory of a selection. */
const MAX_STEPS = 2_000_000;

const BEYOND: Selection = {
  kind: 'undecided',
  reason: 'it finds more values, or values nested deeper, than the harness judges',
};

function apply(query: JSONPathQuery, value: Json): Selection {
  const nodes: SelectedNode[] = [];
  let steps = 0;
  try {
    // One node at a time: the list of all nodes is limited by the stack, and `$..*..*` finds most values many times.
    for (const { value: found, location } of query.lazyQuery(
      value as Parameters<JSONPathQuery['query']>[0],
    )) {
      steps += location.length + 1;
      if (steps > MAX_STEPS) return BEYOND;
      nodes.push({
        value: found as Json,
        // Few are read, and each is as long as all names above the value.
        get pointer() {
          return jsonPointer(location);
        },
      });
    }
  } catch (error) {
    // A query in a filter is still limited by the stack.
    return { kind: 'undecided', reason: error instanceof Error ? error.message : String(error) };
  }
  return { kind: 'selected', nodes };
}

/** Whether the places of all values in a value need too much memory. */
function isTooLarge(value: Json): boolean {
  let steps = 0;
  let level: readonly Json[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    steps += depth * level.length;
    if (steps > MAX_STEPS) return true;
    level = level.flatMap((one) => (Array.isArray(one) ? one : isJsonObject(one) ? Object.values(one) : []));
  }
  return false;
}

/** The nodes that a selector finds; the loader has already refused invalid selectors. */
export function select(at: string, value: Json): Selection {
  const selector = compileSelector(at);
  if ('problem' in selector) throw new Error(`not a JSONPath: ${at}: ${selector.problem}`);
  return selector.select(value);
}
