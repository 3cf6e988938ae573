import { failureMessage } from '../define-function.ts';
import { referenceFunctions } from '../functions.ts';
import { isJsonObject, type JsonObject, validateInput } from '../validate-input.ts';
import { ProtocolError } from './messages.ts';
import { pageOf } from './pages.ts';

/** Few, so that clients have more than one page to read. */
const pageSize = 4;

// The server neither changes nor reaches anything, so clients may call its tools without asking a person.
const annotations = { readOnlyHint: true, openWorldHint: false };

const tools = referenceFunctions.map(({ name, description, parameters, returns, examples }) => ({
  name,
  description,
  inputSchema: { ...parameters, examples: examples.map(({ input }) => input) },
  outputSchema: { ...returns, required: Object.keys(returns.properties) },
  annotations,
}));

// A Map, not an object, so that `constructor` and `__proto__` are unknown tools.
const functions = new Map(referenceFunctions.map((fn) => [fn.name, fn]));

/** The result of tools/list. */
export const listTools = (params: JsonObject): JsonObject => {
  const { entries, nextCursor } = pageOf(tools, ({ name }) => name, pageSize, params);
  return { tools: entries, nextCursor };
};

/** The result of tools/call. The signal is aborted when the client no longer wants it. */
export const callTool = async (
  { name, arguments: input = {} }: JsonObject,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<JsonObject> => {
  if (typeof name !== 'string') throw new ProtocolError('invalidParams', 'name must be a string.');
  if (!isJsonObject(input)) throw new ProtocolError('invalidParams', 'arguments must be an object.');
  const fn = functions.get(name);
  if (fn === undefined) throw new ProtocolError('invalidParams', `Unknown tool: ${name}`);

  const problem = validateInput(fn.parameters, input);
  if (problem !== undefined) {
    // Since 2025-11-25, a model sees what is wrong with its input, and can correct it.
    if (revision < '2025-11-25') throw new ProtocolError('invalidParams', problem);
    return failedResult(problem);
  }
  try {
    const result = await fn.run(input, signal);
    // The text is for clients that do not know structured results.
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    return failedResult(failureMessage(error));
  }
};

const failedResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true });
