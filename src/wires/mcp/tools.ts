import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import type { Answer } from '../../model/exchange.ts';
import { entriesOn } from './lists.ts';

/** A tool as the server lists it, with its pointer in the answer. */
export interface ListedTool {
  readonly tool: Json;
  readonly pointer: string;
}

/** The tools on one page of tools/list. */
export function toolsOn(answer: Answer): readonly ListedTool[] {
  return entriesOn(answer, 'functions').map(({ entry, pointer }) => ({ tool: entry, pointer }));
}

/**
 * The tools of all pages as functions: the suites, and what generates inputs, read the schemas of a function as
 * `parameters` and `returns`, whatever a wire calls them. Of equal names the first one counts. Tools that only run as
 * tasks cannot be called.
 */
export function functionsOf(pages: readonly Answer[]): readonly JsonObject[] {
  const byName = new Map<string, JsonObject>();
  for (const { tool } of pages.flatMap(toolsOn)) {
    const name = ownProperty(tool, 'name');
    if (!isJsonObject(tool) || typeof name !== 'string' || byName.has(name)) continue;
    if (ownProperty(tool.execution, 'taskSupport') === 'required') continue;
    byName.set(name, functionOf(tool));
  }
  return [...byName.values()];
}

export function functionOf({ inputSchema, outputSchema, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    ...(inputSchema === undefined ? {} : { parameters: inputSchema }),
    ...(outputSchema === undefined ? {} : { returns: outputSchema }),
  };
}
