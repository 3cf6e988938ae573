import { isJsonObject, type JsonObject } from '../validate-input.ts';
import type { Caller } from './protocol/caller.ts';
import type { Catalog } from './protocol/catalog.ts';
import { ProtocolError } from './protocol/messages.ts';
import { pageOf } from './protocol/pages.ts';

/** The result of prompts/list. */
export const listPrompts = ({ prompts, pageSizes }: Catalog, params: JsonObject): JsonObject => {
  const listed = prompts.map((prompt) => prompt.listed);
  const { entries, nextCursor } = pageOf(listed, ({ name }) => name, pageSizes.prompts, params);
  return { prompts: entries, nextCursor };
};

/** The result of prompts/get. */
export const getPrompt = async (
  { prompts }: Catalog,
  { name, arguments: given = {} }: JsonObject,
  caller: Caller,
): Promise<JsonObject> => {
  const prompt = prompts.find(({ listed }) => listed.name === name);
  if (prompt === undefined) throw new ProtocolError('invalidParams', `Unknown prompt: ${String(name)}`);
  if (!isJsonObject(given)) throw new ProtocolError('invalidParams', 'arguments must be an object.');
  const wrong = prompt.listed.arguments?.find(({ name: argument, required }) =>
    Object.hasOwn(given, argument) ? typeof given[argument] !== 'string' : required,
  );
  if (wrong !== undefined)
    throw new ProtocolError('invalidParams', `The argument ${wrong.name} must be a text.`);
  return prompt.run(given, caller);
};
