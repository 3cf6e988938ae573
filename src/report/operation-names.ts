/** What the target calls what can be called. */
export function unitOf({ settings }: { readonly settings: object }): 'function' | 'tool' {
  return 'mcp' in settings && settings.mcp !== undefined ? 'tool' : 'function';
}

const MCP_OPERATIONS = new Map<string, string>([
  ['health', 'alive'],
  ['capabilities', 'list'],
  ['execute', 'call'],
]);

/** `health`; of the Model Context Protocol `alive`. */
export function operationName<T extends string>(result: { readonly settings: object }, operation: T): string {
  return unitOf(result) === 'tool' ? (MCP_OPERATIONS.get(operation) ?? operation) : operation;
}
