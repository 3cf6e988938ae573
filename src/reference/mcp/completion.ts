import { isJsonObject, type JsonObject } from '../validate-input.ts';
import type { Catalog, Completions } from './protocol/catalog.ts';
import { ProtocolError } from './protocol/messages.ts';

/** The protocol allows no more. */
const maxValues = 100;

/** The result of completion/complete: the known values that begin with what was typed. */
export const complete = (catalog: Catalog, { ref, argument }: JsonObject): JsonObject => {
  if (!isJsonObject(ref) || !isJsonObject(argument) || typeof argument.value !== 'string')
    throw new ProtocolError('invalidParams', 'ref and argument must be objects, and value a string.');
  const completions = completionsOf(catalog, ref);
  if (completions === undefined)
    throw new ProtocolError('invalidParams', 'There is no such prompt or template.');
  const { name, value } = argument;
  const known = Object.entries(completions).find(([variable]) => variable === name)?.[1] ?? [];
  const fitting = known.filter((one) => one.startsWith(value));
  const values = fitting.slice(0, maxValues);
  return { completion: { values, total: fitting.length, hasMore: values.length < fitting.length } };
};

/** Undefined if there is no such prompt or template. */
const completionsOf = (
  { prompts, templates }: Catalog,
  { type, name, uri }: JsonObject,
): Completions | undefined => {
  const found =
    type === 'ref/prompt'
      ? prompts.find(({ listed }) => listed.name === name)
      : templates.find(({ listed }) => type === 'ref/resource' && listed.uriTemplate === uri);
  return found === undefined ? undefined : (found.completions ?? {});
};
