import type { ReferenceFunction } from '../../define-function.ts';
import { referenceFunctions } from '../../functions.ts';
import { type JsonObject, validateInput } from '../../validate-input.ts';
import type { Tool } from '../protocol/catalog.ts';

// The server neither changes nor reaches anything, so clients may call its tools without asking a person.
const annotations = { readOnlyHint: true, openWorldHint: false };

/** Parameters that HTTP repeats in headers since 2026-07-28, so that a proxy can choose a server by the language. */
const headers: Readonly<Record<string, string>> = { language: 'Language' };

const schemaOf = ({ parameters, examples }: ReferenceFunction): JsonObject => {
  const properties = Object.entries(parameters.properties).map(([name, property]) => {
    const header = headers[name];
    return [name, header === undefined ? property : { ...property, 'x-mcp-header': header }];
  });
  return {
    ...parameters,
    properties: Object.fromEntries(properties),
    examples: examples.map(({ input }) => input),
  };
};

const toolOf = (fn: ReferenceFunction): Tool => ({
  listed: {
    name: fn.name,
    description: fn.description,
    inputSchema: schemaOf(fn),
    outputSchema: { ...fn.returns, required: Object.keys(fn.returns.properties) },
    annotations,
  },
  validate: (input) => validateInput(fn.parameters, input),
  run: async (input, caller) => {
    const result = await fn.run(input, caller);
    // The text is for clients that do not know structured results.
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  },
});

export const referenceTools: readonly Tool[] = referenceFunctions.map(toolOf);
