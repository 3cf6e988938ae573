import type { ReferenceFunction } from '../../define-function.ts';
import { referenceFunctions } from '../../functions.ts';
import { validateInput } from '../../validate-input.ts';
import type { Tool } from '../protocol/catalog.ts';

// The server neither changes nor reaches anything, so clients may call its tools without asking a person.
const annotations = { readOnlyHint: true, openWorldHint: false };

const toolOf = ({ name, description, parameters, returns, examples, run }: ReferenceFunction): Tool => ({
  listed: {
    name,
    description,
    inputSchema: { ...parameters, examples: examples.map(({ input }) => input) },
    outputSchema: { ...returns, required: Object.keys(returns.properties) },
    annotations,
  },
  validate: (input) => validateInput(parameters, input),
  run: async (input, caller) => {
    const result = await run(input, caller);
    // The text is for clients that do not know structured results.
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  },
});

export const referenceTools: readonly Tool[] = referenceFunctions.map(toolOf);
