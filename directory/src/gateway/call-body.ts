import { createHash } from 'node:crypto';
import { canonicalJson, decodeJson, isJsonObject, jsonTypeOf, shorten } from 'probity/model';
import { memberTexts } from '../http/json-members.ts';
import { Problem } from '../http/problem.ts';

/** What a caller asks for, in form A (specification, section 2.6). */
export interface GivenCall {
  readonly functionName: string;
  /** A JSON object as it was written. */
  readonly inputText: string;
  /** The same for the same function and input, in whatever order their keys stand. */
  readonly digest: string;
}

const MEMBERS = ['function', 'input'];

/** Reads the body of an execute request. @throws Problem that says what is wrong with it */
export function parseCall(body: unknown): GivenCall {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  const { value, problem, numbers } = decodeJson(bytes);
  if (problem !== null) throw wrong(`${problem.message}${problem.pointer ? ` (${problem.pointer})` : ''}`);
  if (!isJsonObject(value)) throw wrong('the body must be a JSON object');
  const unknown = Object.keys(value).filter((name) => !MEMBERS.includes(name));
  if (unknown.length > 0) {
    const names = unknown.slice(0, 5).map((name) => shorten(JSON.stringify(name), 60));
    const more = unknown.length > names.length ? `, and ${unknown.length - names.length} more` : '';
    const isFormB = unknown.includes('parameters') && value.input === undefined;
    throw wrong(
      `it holds ${names.join(', ')}${more}, and may hold "function" and "input" only${isFormB ? '; what form B calls "parameters" is "input" here, whatever form the server speaks' : ''}`,
    );
  }
  const { function: functionName, input = {} } = value;
  if (functionName === undefined) throw wrong('"function" is missing: the name of the function to call');
  if (typeof functionName !== 'string' || functionName === '')
    throw wrong(
      `"function" must be the name of a function, not ${functionName === '' ? 'an empty string' : jsonTypeOf(functionName)}`,
    );
  if (!isJsonObject(input))
    throw wrong(`"input" must be an object of named parameters, not ${jsonTypeOf(input)}`);
  const inputText = memberTexts(Buffer.from(bytes).toString('utf8')).get('input') ?? '{}';
  // Two numbers that a double cannot tell apart are two inputs.
  const told = numbers.length === 0 ? canonicalJson(input) : inputText;
  return {
    functionName,
    inputText,
    digest: createHash('sha256')
      .update(JSON.stringify([functionName, told]))
      .digest('base64url'),
  };
}

function wrong(what: string): Problem {
  return new Problem(
    'bad-body',
    `The body is wrong: ${what}. Send {"function": "…", "input": {…}} with a name that the server's capabilities list.`,
  );
}
