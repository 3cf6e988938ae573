import { withDoubles } from '../../json/exact-json.ts';
import {
  text as anyText,
  eitherOf,
  orNull,
  record,
  requireArguments,
  required,
  textThatIs,
  wholeFrom,
} from '../../model/arguments.ts';
import { type Listing, PARSED_LISTING, type ParsedListing } from '../../model/listing.ts';
import { type Diagnostic, type Place, type SourceLine, SuiteError } from '../yaml/diagnostic.ts';
import { readParsed } from '../yaml/parse-document.ts';
import { MAX_DEPTH, MAX_NODES, type Tree } from '../yaml/tree.ts';
import { type ParsedYaml, parseYaml, parseYamlStream } from '../yaml/yaml-tree.ts';
import { REQUIRED_FIELDS } from './listing-language.ts';
import { readListingTree } from './read-listing-tree.ts';

/** A listing in a file of several: parsed, or refused with all its mistakes. */
export type ReadListing =
  | { readonly kind: 'read'; readonly line: number; readonly listing: ParsedListing }
  | { readonly kind: 'refused'; readonly line: number; readonly error: SuiteError };

const TEXT_AND_FILE = {
  text: required(textThatIs('the text of the file')),
  file: required(textThatIs('the name of the file, for messages')),
};

/**
 * Reads a listing. Wrong or missing fields of the server record are allowed, because a requirement judges them; any
 * other mistake throws a SuiteError. Pure.
 * @throws OptionError when an argument is not a string
 */
export function parseListing(text: string, file: string): ParsedListing {
  requireArguments('parseListing', { text, file }, TEXT_AND_FILE);
  return listingOf(parseYaml(text, file), text, file);
}

/** Reads every listing of a text: YAML documents or, if the file name says so, lines of JSON. Pure. */
export function parseListings(text: string, file: string): readonly ReadListing[] {
  requireArguments('parseListings', { text, file }, TEXT_AND_FILE);
  if (isLines(file))
    return text.split('\n').flatMap((line, index) => parseListingLine(line, index + 1, file) ?? []);
  return parseYamlStream(text, file).flatMap((document): ReadListing[] => {
    const { tree } = document;
    const isEmpty = tree?.kind === 'scalar' && tree.value === null && document.diagnostics.length === 0;
    // A stream may end with the document marker.
    return isEmpty ? [] : [attempt(tree?.place.line ?? 1, () => listingOf(document, text, file))];
  });
}

/** JSON, a listing in each line. */
export function isLines(file: string): boolean {
  return /\.(?:ndjson|jsonl)$/i.test(file);
}

/** One line of JSON; null where the line is blank. Pure. */
export function parseListingLine(given: string, line: number, file: string): ReadListing | null {
  const text = line === 1 ? given.replace(/^\ufeff/, '') : given;
  if (text.trim() === '') return null;
  return attempt(line, () => {
    const value = parseJson(text, line, file);
    // Only an invalid line is parsed again with the slow parser, which knows the place of every value.
    return (
      parseQuickly(value, text, line, file) ?? listingOf(parseYaml(text, file, line), { line, text }, file)
    );
  });
}

/** The slow parser reads YAML, which allows more than a line of JSON. */
function parseJson(text: string, line: number, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    // For a short text, the engine's message has no position.
    const position = message.includes('end of JSON') ? text.length : /at position (\d+)/.exec(message)?.[1];
    const place = { line, column: Number(position ?? 0) + 1, length: 1 };
    const suggestion =
      'Each line is one JSON object: names and texts in double quotes, and no comma after the last value.';
    throw new SuiteError(
      [{ code: 'json-syntax', file, place, message: 'not valid JSON', suggestion }],
      new Map([[file, { line, text }]]),
    );
  }
}

/** Null if it has any mistake. */
function parseQuickly(value: unknown, text: string, line: number, file: string): ParsedListing | null {
  const converted = treeOf(value, { line, column: 1, length: text.length });
  // Of a duplicate key, JSON.parse keeps the last value, other parsers the first.
  if (converted === null || (text.match(KEY_END)?.length ?? 0) > converted.keys) return null;
  let isValid = true;
  const listing = readListingTree(converted.tree, file, () => {
    isValid = false;
  });
  return isValid && listing?.problems.length === 0 ? listing : null;
}

/** The end of a key. A match inside a string only causes the slow parser to run. */
const KEY_END = /"\s*:/g;

/** The tree that shapes read, with one place for all of it; null if it is larger or deeper than a document may be. */
function treeOf(value: unknown, place: Place): { readonly tree: Tree; readonly keys: number } | null {
  let nodes = 0;
  let keys = 0;
  let isTooDeep = false;
  const convert = (part: unknown, depth: number): Tree => {
    nodes += 1;
    isTooDeep ||= depth > MAX_DEPTH;
    if (nodes > MAX_NODES || isTooDeep) return { kind: 'scalar', value: null, place };
    if (Array.isArray(part))
      return { kind: 'list', items: part.map((item) => convert(item, depth + 1)), place };
    if (typeof part !== 'object' || part === null)
      return { kind: 'scalar', value: part as null | boolean | number | string, place };
    const entries = Object.entries(part).map(([key, inner]) => {
      keys += 1;
      return { key, keyPlace: place, value: convert(inner, depth + 1) };
    });
    return { kind: 'map', entries, place };
  };
  const tree = convert(value, 0);
  return nodes > MAX_NODES || isTooDeep ? null : { tree, keys };
}

function attempt(line: number, work: () => ParsedListing): ReadListing {
  try {
    return { kind: 'read', line, listing: work() };
  } catch (error) {
    if (error instanceof SuiteError) return { kind: 'refused', line, error };
    throw error;
  }
}

function listingOf(parsed: ParsedYaml, source: string | SourceLine, file: string): ParsedListing {
  return readParsed(parsed, file, source, (tree, report) => readListingTree(tree, file, report));
}

const SOURCE = eitherOf<string | SourceLine>(
  'the text of the file',
  anyText,
  record({ line: required(wholeFrom(1)), text: required(anyText) }),
);

/**
 * A listing in which all fields of the author are valid. Throws a SuiteError with all missing or wrong fields, for
 * callers that store listings instead of judging them. Pure.
 *
 * @throws OptionError when an argument is of the wrong kind
 */
export function wholeListing(parsed: ParsedListing, text: string | SourceLine | null = null): Listing {
  requireArguments(
    'wholeListing',
    { parsed, text },
    { parsed: PARSED_LISTING, text: required(orNull(SOURCE)) },
  );
  const { said, problems, where } = parsed;
  // What stores a listing as JSON keeps doubles.
  if (problems.length === 0 && isWhole(said)) return withDoubles(said);
  const found = recordDiagnostics(parsed);
  throw new SuiteError(found, text === null ? new Map() : new Map([[where.file, text]]));
}

/** The mistakes in the record's fields, as diagnostics for the author of the file. Pure. */
export function recordDiagnostics({ problems }: ParsedListing): readonly Diagnostic[] {
  return problems.map(({ where, message, received, remedy }) => ({
    code: received === 'nothing' ? 'missing-key' : 'wrong-value',
    file: where.file,
    place: { line: where.line, column: where.column, length: 1 },
    message,
    suggestion: remedy,
  }));
}

function isWhole(said: Partial<Listing>): said is Listing {
  return REQUIRED_FIELDS.every((field) => said[field] !== undefined);
}
