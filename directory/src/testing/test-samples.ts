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
  /** Functions that are called with the caller's input, whom the answers are therefore not held against. */
  readonly callersFunctions: readonly string[];
}

/**
 * The samples of a test: the listing's, and before them the caller's input, for the function that is named or for every
 * function that it fits. Null for capabilities that nobody could read. Pure.
 *
 * @throws Problem `function-not-found`, or `bad-body` where the input fits no function
 */
export function testSamples(
  listing: Listing,
  capabilities: unknown | null,
  request: TestRequest,
): TestSamples {
  const own = listing.samples ?? {};
  const functions = functionsIn(capabilities);
  const { input, function: named } = request;
  if (named !== undefined && capabilities !== null && !functions.some(({ name }) => name === named))
    throw new Problem(
      'function-not-found',
      `The server lists no function ${quoted(named)}. ${listWords(functions)}`,
    );
  if (input === undefined) return { samples: own, callersFunctions: [] };
  const names = named === undefined ? fitting(functions, input, capabilities) : [named];
  const sample: ConfiguredSample = { input, fails: false };
  const entries = names.map((name): [string, readonly ConfiguredSample[]] => [
    name,
    [sample, ...(Object.hasOwn(own, name) ? (own[name] ?? []) : [])],
  ]);
  return { samples: Object.fromEntries([...Object.entries(own), ...entries]), callersFunctions: names };
}

interface KnownFunction {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly required: readonly string[];
  /** Form A says of no input whether it may be left out. */
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

function fitting(
  functions: readonly KnownFunction[],
  input: JsonObject,
  capabilities: unknown | null,
): readonly string[] {
  const keys = Object.keys(input);
  const fits = ({ inputs, required, namesRequired }: KnownFunction): boolean =>
    keys.every((key) => inputs.includes(key)) &&
    required.every((key) => Object.hasOwn(input, key)) &&
    (namesRequired || keys.length > 0 || inputs.length === 0);
  const names = functions.filter(fits).map(({ name }) => name);
  // A server whose functions nobody could read is tested all the same: the result says what is wrong with it.
  if (names.length > 0 || capabilities === null) return names;
  throw new Problem(
    'bad-body',
    `"input" fits no function of the server. Name one with "function", or give the inputs that one declares. ${listWords(functions)}`,
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
