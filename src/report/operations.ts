import type { OperationError } from '../model/measurement.ts';
import { groupedBy } from '../text/grouped-by.ts';

/** What the target calls what can be called. */
export function unitOf({ settings }: { readonly settings: object }): 'function' | 'tool' {
  return 'mcp' in settings && settings.mcp !== undefined ? 'tool' : 'function';
}

const MCP_OPERATIONS = new Map(Object.entries({ health: 'alive', capabilities: 'list', execute: 'call' }));

/** `health`; of the Model Context Protocol `alive`. */
export function operationName(result: { readonly settings: object }, operation: string): string {
  return unitOf(result) === 'tool' ? (MCP_OPERATIONS.get(operation) ?? operation) : operation;
}

/** Each kind once, with the sum of the counts. */
export function summedErrors(errors: readonly OperationError[]): readonly OperationError[] {
  const groups = groupedBy(errors, ({ count: _, ...error }) => JSON.stringify(error));
  return [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map(({ count: _, ...error }) => ({
      ...error,
      count: same.reduce((sum, { count }) => sum + count, 0),
    })),
  );
}
