import type { Json } from '../../src/json/json.ts';
import { CONTRACT_SCHEMA_ID, type Contract, type ContractFunction } from '../../src/model/contract.ts';

/** A contract with the given parts. */
export function contract(parts: Partial<Contract> = {}): Contract {
  return {
    schema: CONTRACT_SCHEMA_ID,
    wire: 'mcp',
    server: { name: 'weather', version: '1.0.0' },
    revision: '2025-11-25',
    capabilities: { tools: {} },
    functions: [],
    prompts: [],
    resources: [],
    resourceTemplates: [],
    unread: [],
    ...parts,
  };
}

/** A function with arguments, given as its properties and the names of those that are required. */
export function tool(
  name: string,
  properties: Readonly<Record<string, Json>> = {},
  required: readonly string[] = [],
  more: Partial<ContractFunction> = {},
): ContractFunction {
  return { name, input: { type: 'object', properties, required }, output: null, ...more };
}
