import {
  type ConfiguredSample,
  declaredInputs,
  descriptorsIn,
  type Json,
  type JsonObject,
  type Listing,
  ownProperty,
  requiredNames,
  shorten,
  type TestRequest,
} from 'probity/model';
import { Problem } from '../http/problem.ts';

export interface TestSamples {
  readonly samples: Readonly<Record<string, readonly ConfiguredSample[]>>;
  /** Functions that are called with the caller's input. Their failures do not count against the server. */
  readonly callersFunctions: readonly string[];
  /** The key of the caller whose input is used; null without one. */
  readonly callersKeyId: string | null;
}

/**
 * The samples of a test: the caller's input first, for the named function or for every function that it matches, then
 * those of the listing. `capabilities` is null when they could not be read. Pure.
 *
 * @throws Problem `function-not-found`, or `bad-body` when the input matches no function
 */
export function testSamples(
  listing: Listing,
  capabilities: unknown | null,
  request: TestRequest,
  callersKeyId: string | null = null,
): TestSamples {
  const own = listing.samples ?? {};
  const functions = functionsIn(capabilities);
  const { input, function: named } = request;
  if (named !== undefined && capabilities !== null && !functions.some(({ name }) => name === named))
    throw new Problem(
      'function-not-found',
      `The server lists no function ${quoted(named)}. ${listWords(functions)}`,
    );
  const plain: TestSamples = { samples: own, callersFunctions: [], callersKeyId: null };
  if (input === undefined) return plain;
  const names = named === undefined ? matching(functions, input, capabilities) : [named];
  if (names.length === 0) return plain;
  const sample: ConfiguredSample = { input, fails: false };
  const entries = names.map((name): [string, readonly ConfiguredSample[]] => [
    name,
    [sample, ...(Object.hasOwn(own, name) ? (own[name] ?? []) : [])],
  ]);
  return {
    samples: Object.fromEntries([...Object.entries(own), ...entries]),
    callersFunctions: names,
    callersKeyId,
  };
}

interface KnownFunction {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly required: readonly string[];
  /** False in form A, which does not mark inputs as required or optional. */
  readonly namesRequired: boolean;
}

function functionsIn(capabilities: unknown): readonly KnownFunction[] {
  const byName = new Map<string, KnownFunction>();
  for (const { descriptor } of descriptorsIn(capabilities as Json)) {
    const name = ownProperty(descriptor, 'name');
    if (typeof name !== 'string' || byName.has(name)) continue;
    byName.set(name, {
      name,
      inputs: declaredInputs(descriptor),
      required: requiredNames(ownProperty(descriptor, 'parameters')),
      namesRequired: !Array.isArray(ownProperty(descriptor, 'inputs')),
    });
  }
  return [...byName.values()];
}

function matching(
  functions: readonly KnownFunction[],
  input: JsonObject,
  capabilities: unknown | null,
): readonly string[] {
  const keys = Object.keys(input);
  const matches = ({ inputs, required, namesRequired }: KnownFunction): boolean =>
    keys.every((key) => inputs.includes(key)) &&
    required.every((key) => Object.hasOwn(input, key)) &&
    (namesRequired || keys.length > 0 || inputs.length === 0);
  const names = functions.filter(matches).map(({ name }) => name);
  // A server with unreadable capabilities is tested anyway; the result says what is wrong with it. The smallest body,
  // {"input": {}}, tests every server.
  if (names.length > 0 || capabilities === null || keys.length === 0) return names;
  throw new Problem(
    'bad-body',
    `"input" matches no function of the server. Name a function with "function", or send inputs that a function declares. ${listWords(functions)}`,
    {
      more: {
        functions: functions.slice(0, MAX_LISTED).map(({ name, inputs, required }) => ({
          name: shorten(name),
          inputs: inputs.slice(0, MAX_LISTED).map((key) => shorten(key)),
          required: required.slice(0, MAX_LISTED).map((key) => shorten(key)),
        })),
      },
    },
  );
}

const MAX_LISTED = 20;

function listWords(functions: readonly KnownFunction[]): string {
  if (functions.length === 0) return 'It lists none.';
  const words = functions.slice(0, MAX_LISTED).map(({ name, inputs, required }) => {
    const keys = inputs
      .slice(0, MAX_LISTED)
      .map((key) => `${shorten(key, 60)}${required.includes(key) ? ' (required)' : ''}`);
    return `${quoted(name)} (${keys.length === 0 ? 'no inputs' : keys.join(', ')})`;
  });
  const more = functions.length - words.length;
  return `It lists ${words.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function quoted(name: string): string {
  return JSON.stringify(shorten(name, 100));
}
