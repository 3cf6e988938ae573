import {
  decodeJson,
  isFiniteWithin,
  isJsonObject,
  type JsonObject,
  ownProperty,
  shorten,
} from 'probity/model';
import { Problem } from '../http/problem.ts';

/** What a caller may say of a test. */
export interface TestRequest {
  /** Named sample inputs for the server's function (specification, section 4.1). */
  readonly input?: JsonObject;
  /** The function that the input is for. */
  readonly function?: string;
}

/** Far more than functions take; what is deeper is meant for parsers. */
const MAX_LEVELS = 32;
const MAX_NAME_CHARACTERS = 1000;

const SHAPE = 'Give {"input": {…}, "function": "name"}, of which both may be left out.';

/**
 * Reads the body of a test; none at all asks for a test with the listing's own samples. Pure.
 *
 * @throws Problem `bad-body` that says what is wrong
 */
export function parseTestRequest(bytes: Uint8Array): TestRequest {
  if (bytes.byteLength === 0) return {};
  const { value, problem } = decodeJson(bytes);
  if (problem !== null) throw refused(`${problem.message[0]?.toUpperCase()}${problem.message.slice(1)}`);
  const unknown = Object.keys(value as JsonObject).find((key) => key !== 'input' && key !== 'function');
  if (unknown !== undefined) throw refused(`The body has a member ${shorten(JSON.stringify(unknown), 60)}`);
  const input = ownProperty(value, 'input');
  const name = ownProperty(value, 'function');
  if (input !== undefined && !isJsonObject(input)) throw refused('"input" is not an object');
  if (input !== undefined && !isFiniteWithin(input, MAX_LEVELS))
    throw new Problem(
      'bad-body',
      `"input" is nested deeper than ${MAX_LEVELS} levels, or holds a number that no double can. Give a smaller sample.`,
    );
  if (name !== undefined && (typeof name !== 'string' || name.length > MAX_NAME_CHARACTERS))
    throw refused(`"function" is not a name of at most ${MAX_NAME_CHARACTERS} characters`);
  return {
    ...(input === undefined ? {} : { input }),
    ...(name === undefined ? {} : { function: name }),
  };
}

function refused(what: string): Problem {
  return new Problem('bad-body', `${what}. ${SHAPE}`);
}
