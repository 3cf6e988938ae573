import { referenceFunctions } from '../functions.ts';
import { isJsonObject, type JsonObject } from '../validate-input.ts';
import { ProtocolError } from './messages.ts';
import { functionTemplate } from './resources.ts';

/** The protocol allows no more. */
const maxValues = 100;

/** The result of completion/complete: names of functions that begin with what was typed. */
export const complete = ({ ref, argument }: JsonObject): JsonObject => {
  if (!isJsonObject(ref) || !isJsonObject(argument) || typeof argument.value !== 'string')
    throw new ProtocolError('invalidParams', 'ref and argument must be objects, and value a string.');
  const wanted = argumentOf(ref);
  if (wanted === undefined) throw new ProtocolError('invalidParams', 'There is no such prompt or template.');
  const { value } = argument;
  const names = argument.name === wanted ? referenceFunctions.map(({ name }) => name) : [];
  const fitting = names.filter((name) => name.startsWith(value));
  const values = fitting.slice(0, maxValues);
  return { completion: { values, total: fitting.length, hasMore: values.length < fitting.length } };
};

/** The argument that can be completed: of a prompt, or a variable of a template. */
const argumentOf = ({ type, name, uri }: JsonObject): string | undefined => {
  if (type === 'ref/prompt' && name === 'explain-function') return 'function';
  if (type === 'ref/resource' && uri === functionTemplate) return 'name';
  return undefined;
};
