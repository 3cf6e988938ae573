import { failureMessage } from '../define-function.ts';
import { isJsonObject, type JsonObject } from '../validate-input.ts';
import { InputRequired } from './input-required.ts';
import type { Caller } from './protocol/caller.ts';
import type { Catalog } from './protocol/catalog.ts';
import { ProtocolError } from './protocol/messages.ts';
import { pageOf } from './protocol/pages.ts';

/** The result of tools/list. */
export const listTools = ({ tools, pageSizes }: Catalog, params: JsonObject): JsonObject => {
  const listed = tools.map((tool) => tool.listed);
  const { entries, nextCursor } = pageOf(listed, ({ name }) => name, pageSizes.tools, params);
  return { tools: entries, nextCursor };
};

/** The result of tools/call. */
export const callTool = async (
  { tools }: Catalog,
  { name, arguments: input = {} }: JsonObject,
  revision: string,
  caller: Caller,
): Promise<JsonObject> => {
  if (typeof name !== 'string') throw new ProtocolError('invalidParams', 'name must be a string.');
  if (!isJsonObject(input)) throw new ProtocolError('invalidParams', 'arguments must be an object.');
  const tool = tools.find(({ listed }) => listed.name === name);
  if (tool === undefined) throw new ProtocolError('invalidParams', `Unknown tool: ${name}`);

  const problem = tool.validate(input);
  if (problem !== undefined) {
    // Since 2025-11-25, a model sees what is wrong with its input, and can correct it.
    if (revision < '2025-11-25') throw new ProtocolError('invalidParams', problem);
    return failedResult(problem);
  }
  caller.log('debug', `The tool ${name} is called.`);
  try {
    return await tool.run(input, caller);
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof InputRequired) throw error;
    return failedResult(failureMessage(error));
  }
};

const failedResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true });
