import type { Behaviour } from './behaviour.ts';
import { CLEAN, failing, flawed, orSpent, unanswered, unjudged, unreadable } from './finds.ts';
import { carrying, headOf, once, pour, withMember } from './wire.ts';

const MEGABYTE = 1024 * 1024;
const NOT_JSON = 'the body is not JSON';

function broken(id: string, words: string, says: string, make: (text: string) => string): Behaviour {
  return { id: `json/${id}`, words, legal: false, play: carrying(make), finds: unreadable(says) };
}

function twice(id: string, words: string, make: (text: string) => string): Behaviour {
  return { ...broken(id, words, '', make), finds: flawed('occurs twice') };
}

/** Sends an extra member with this JSON text as its value. */
function legal(id: string, words: string, value: () => string): Behaviour {
  return {
    id: `json/${id}`,
    words,
    legal: true,
    play: carrying((text) => withMember(text, value())),
    finds: CLEAN,
  };
}

/** Sends more than the harness judges. */
function unjudgeable(id: string, words: string, says: string, value: () => string): Behaviour {
  return { ...large(id, words, value), finds: orSpent(unjudged(says)) };
}

/** Sends answers so large that a run keeps only a few. */
function large(id: string, words: string, make: () => string): Behaviour {
  return { ...legal(id, words, once(make)), large: true, finds: orSpent(CLEAN) };
}

function nested(open: string, close: string, depth: number, inside = ''): string {
  return open.repeat(depth) + inside + close.repeat(depth);
}

/** Adds inherited keys to each object of the answer, except those whose keys are names of parameters. */
function withInheritedKeys(text: string): string {
  const more =
    '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":null';
  return text.replaceAll(/(?<!"properties":|"parameters":|"result":)\{(?=")/g, `{${more},`);
}

export const json: readonly Behaviour[] = [
  broken('empty', 'sends an empty body', 'the body is empty', () => ''),
  broken('white-space', 'sends only white space', NOT_JSON, () => ' \n'),
  broken('truncated', 'sends all but the last byte of the JSON', NOT_JSON, (text) => text.slice(0, -1)),
  broken(
    'trailing-comma',
    'puts a comma before the last brace',
    NOT_JSON,
    (text) => `${text.slice(0, -1)},}`,
  ),
  broken('comment', 'puts a comment after the JSON', NOT_JSON, (text) => `${text} // so much`),
  broken('nan', 'sends NaN', NOT_JSON, (text) => withMember(text, 'NaN')),
  broken('leading-zero', 'sends 007', NOT_JSON, (text) => withMember(text, '007')),
  broken('single-quotes', 'writes single quotes', NOT_JSON, (text) => text.replaceAll('"', "'")),
  broken('two-values', 'sends the JSON twice', NOT_JSON, (text) => `${text}\n${text}`),
  broken('script-guard', "sends )]}' before the JSON", NOT_JSON, (text) => `)]}'\n${text}`),
  broken('array', 'sends the JSON in a list', 'an array', (text) => `[${text}]`),
  broken('string', 'sends the JSON as a string', 'a string', (text) => JSON.stringify(text)),
  broken('null', 'sends null', 'null', () => 'null'),
  broken('html', 'sends an HTML page', NOT_JSON, () => '<!doctype html><title>Welcome</title>'),
  twice('key-twice', 'sends a key twice', (text) => withMember(withMember(text, '1'), '2')),
  twice('key-twice-escaped', 'sends a key twice, once with an escape', (text) =>
    withMember(text, '1').replace('{', '{"o\\u0064d":2,'),
  ),
  legal('depth-100', 'sends lists 100 deep', () => nested('[', ']', 100)),
  legal('white-space-inside', 'puts line breaks and tabs between the parts', () => '\r\n\t { \n } \t\r\n '),
  {
    ...legal('depth-10000', 'sends lists 10,000 deep', () => nested('[', ']', 10_000)),
    finds: unjudged('nested'),
  },
  unjudgeable('depth-500000', 'sends lists 500,000 deep', 'nested', () => nested('[', ']', 500_000)),
  unjudgeable('objects-in-objects', 'sends 1 MB of nested objects', 'nested', () =>
    nested('{"a":', '}', 175_000, '1'),
  ),
  unjudgeable('many-objects', 'sends 300,000 empty objects', 'values', () => `[${'{},'.repeat(299_999)}{}]`),
  unjudgeable('many-numbers', 'sends 300,000 numbers', 'values', () => `[${'1,'.repeat(299_999)}1]`),
  unjudgeable('depth-1000000', 'sends lists a million deep', 'nested', () => nested('[', ']', 1_000_000)),
  unjudgeable(
    'million-objects',
    'sends a million empty objects',
    'values',
    () => `[${'{},'.repeat(999_999)}{}]`,
  ),
  {
    id: 'json/only-brackets',
    words: 'sends 3 MB of opening brackets and nothing else',
    legal: false,
    play: carrying(() => '['.repeat(3 * MEGABYTE)),
    // A body that is too deep is not read to its end.
    large: true,
    finds: orSpent(unjudged('nested')),
  },
  {
    id: 'json/only-keys',
    words: 'sends 3 MB of opening braces and keys, and nothing else',
    legal: false,
    play: carrying(() => '{"a":'.repeat(600_000)),
    large: true,
    finds: orSpent(unjudged('nested')),
  },
  large('string-of-3-mb', 'sends a string of 3 MB', () => `"${'x'.repeat(3 * MEGABYTE)}"`),
  large(
    'wide-string-of-3-mb',
    'sends a string of 3 MB, one character of which is not in Latin-1',
    () => `"東${'x'.repeat(3 * MEGABYTE)}"`,
  ),
  large('key-of-1-mb', 'sends a key of 1 MB', () => `{"${'k'.repeat(MEGABYTE)}":1}`),
  {
    ...large('string-of-9-mb', 'sends a string of 9 MB', () => `"${'x'.repeat(9 * MEGABYTE)}"`),
    finds: unanswered('body-too-large', 'harness'),
  },
  legal('number-out-of-range', 'sends 1e999', () => '1e999'),
  legal('minus-zero', 'sends -0', () => '-0'),
  legal('number-beyond-precision', 'sends 9007199254740993', () => '9007199254740993'),
  large('number-of-1-mb', 'sends a number of a million digits', () => `1${'0'.repeat(1_000_000)}`),
  large(
    'fraction-of-1-mb',
    'sends a number with a million digits after the point',
    () => `0.${'1'.repeat(1_000_000)}`,
  ),
  {
    id: 'json/uptime-out-of-range',
    words: 'sends 1E400 for uptime; on other endpoints for another member',
    legal: true,
    play: carrying((text, { endpoint }) =>
      endpoint === 'health' ? text.replace(/"uptime":[^,]+/, '"uptime":1E400') : withMember(text, '1E400'),
    ),
    finds: { ...CLEAN, health: failing('uptime', 'health/uptime-number') },
  },
  {
    id: 'json/inherited-keys',
    words: 'sends __proto__, constructor, toString and hasOwnProperty as keys of every object',
    legal: true,
    play: carrying(withInheritedKeys),
    finds: CLEAN,
  },
  {
    ...listing('million-functions', 'lists a million functions', 1_000_000),
    finds: unanswered('body-too-large', 'harness'),
  },
  {
    ...listing('100000-functions', 'lists 100,000 functions with a name and nothing else', 100_000),
    finds: {
      ...orSpent(CLEAN),
      capabilities: [
        ...failing(
          /is invalid|is of neither form|has no example|does not say/,
          'capabilities/function-description',
          'capabilities/descriptor-form',
          'documentation/return-types',
          'documentation/examples',
        ),
        ...failing('FUNCTION_NOT_FOUND', 'execute/status-200'),
      ],
    },
  },
  {
    id: 'json/list-of-100-mb',
    words: 'lists functions without end, 100 MB of them',
    legal: true,
    large: true,
    play: async ({ socket, answer }) => {
      const entry = '{"name":"odd","description":"One more of these.","parameters":{},"returns":{}},';
      const framing = [`content-length: ${100 * MEGABYTE}`, 'connection: close'];
      socket.write(Buffer.concat([headOf(answer, { framing }), Buffer.from('{"functions":[')]));
      await pour(socket, Buffer.from(entry.repeat(200)), 100 * MEGABYTE);
      socket.end();
    },
    finds: unanswered('body-too-large', 'harness'),
  },
];

/** Many functions that have only a name; on other endpoints an extra member. */
function listing(id: string, words: string, count: number): Omit<Behaviour, 'finds'> {
  const functions = once(
    () => `[${Array.from({ length: count }, (_, index) => `{"name":"f${index}"}`).join(',')}]`,
  );
  return {
    id: `json/${id}`,
    words: `${words}; on other endpoints in an extra member`,
    legal: true,
    large: true,
    play: carrying((text, { endpoint }) =>
      endpoint === 'capabilities'
        ? text.replace(/"functions":\[.*\]/, () => `"functions":${functions()}`)
        : withMember(text, functions()),
    ),
  };
}
