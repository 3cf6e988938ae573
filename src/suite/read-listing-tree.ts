import { stringifyExactly } from '../json/exact-json.ts';
import type { ConfiguredSample } from '../model/call.ts';
import type { FieldProblem, Listing, ParsedListing } from '../model/listing.ts';
import { MEASURED_FIELDS, RECORD_FIELDS, type RecordField } from '../model/saved/server-record.ts';
import type { SourceLocation } from '../model/suite.ts';
import { targetVariable } from '../model/target.ts';
import { didYouMean, type Place } from './diagnostic.ts';
import {
  listingRestShape,
  listingShape,
  mcpRecordFieldsShape,
  recordFieldsShape,
} from './listing-language.ts';
import type { Reporter, ValueOf } from './shape.ts';
import { plainValue, type Tree, type TreeEntry } from './tree.ts';

const JUDGED = new Set<string>(RECORD_FIELDS);
const MEASURED = new Set<string>(MEASURED_FIELDS);
const KEYS = Object.keys(listingShape.keys);

/**
 * Reads a listing from its tree. Mistakes in fields of the server record go to `problems` of the listing, all others
 * are reported. Returns undefined if it is not a listing. Pure.
 */
export function readListingTree(tree: Tree, file: string, report: Reporter): ParsedListing | undefined {
  if (tree.kind !== 'map') {
    listingRestShape.read(tree, report);
    return undefined;
  }
  for (const place of unstorable(tree))
    report(
      'wrong-value',
      place,
      'the text contains U+0000 or half of a surrogate pair, which are not characters',
      'Remove it.',
    );
  const at = ({ line, column }: Place): SourceLocation => ({ file, line, column });
  const where = at(tree.place);
  const known: TreeEntry[] = [];
  for (const entry of tree.entries) {
    if (KEYS.includes(entry.key)) known.push(entry);
    else report('unknown-key', entry.keyPlace, `unknown key "${entry.key}"`, didYouMean(entry.key, KEYS, ''));
  }
  const fieldsShape = known.some(isMcp) ? mcpRecordFieldsShape : recordFieldsShape;
  const problems: FieldProblem[] = [];
  let said: Partial<Listing> = {};
  for (const entry of known.filter(({ key }) => JUDGED.has(key))) {
    const field = entry.key as RecordField;
    const read = fieldsShape.read({ ...tree, entries: [entry] }, (_code, place, message, remedy) => {
      problems.push({
        field,
        where: at(place),
        message,
        expected: wordsOf(field),
        received: shown(entry.value),
        remedy,
      });
    });
    if (read === undefined) continue;
    const { place: _place, keyPlaces: _keyPlaces, ...fields } = read;
    said = { ...said, ...fields };
  }
  const written = new Set(known.map(({ key }) => key));
  for (const field of RECORD_FIELDS.filter((name) => !written.has(name) && !MEASURED.has(name)))
    problems.push({
      field,
      where,
      message: `the field "${field}" is missing`,
      expected: wordsOf(field),
      received: 'nothing',
      remedy: `Add "${field}": ${listingShape.keys[field]?.doc}`,
    });
  const rest = listingRestShape.read(
    { ...tree, entries: known.filter(({ key }) => !JUDGED.has(key)) },
    report,
  );
  if (rest === undefined) return undefined;
  refuseOtherVariable(rest.bearerEnv, said.id, report);
  return {
    where,
    said: { ...said, ...restOf(rest) },
    problems,
    places: Object.fromEntries(known.map(({ key, keyPlace }) => [key, at(keyPlace)])),
  };
}

function isMcp({ key, value }: TreeEntry): boolean {
  return key === 'protocol' && value.kind === 'scalar' && value.value === 'mcp';
}

function wordsOf(field: RecordField): string {
  return listingShape.keys[field]?.shape.words ?? '';
}

const MAX_SHOWN = 80;

function shown(tree: Tree): string {
  const text = stringifyExactly(plainValue(tree));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Characters that databases refuse. */
function* unstorable(tree: Tree): Generator<Place> {
  if (tree.kind === 'scalar') {
    if (typeof tree.value === 'string' && !isStorable(tree.value)) yield tree.place;
  } else if (tree.kind === 'list') for (const item of tree.items) yield* unstorable(item);
  else
    for (const { key, keyPlace, value } of tree.entries) {
      if (!isStorable(key)) yield keyPlace;
      yield* unstorable(value);
    }
}

function isStorable(text: string): boolean {
  return !/[\0\ud800-\udfff]/u.test(text);
}

type Rest = ValueOf<typeof listingRestShape>;

function refuseOtherVariable(given: Rest['bearerEnv'], id: string | undefined, report: Reporter): void {
  if (given === undefined) return;
  if (id === undefined) {
    const message = 'bearerEnv depends on the id, and the listing has no valid id';
    report('wrong-value', given.place, message, 'Set the id of the listing first.');
  } else if (given.value !== targetVariable(id))
    report(
      'wrong-value',
      given.place,
      `bearerEnv must name the variable of this server: ${targetVariable(id)}`,
      `Use ${targetVariable(id)}. Any other variable could contain another secret, which would be sent to the server.`,
    );
}

/** The value without the places, which belong to the file. */
function restOf(rest: Rest): Partial<Listing> {
  const { listing: _version, place: _place, keyPlaces: _keyPlaces, bearerEnv, samples, ...plain } = rest;
  const { author, auditReport, build, deployment, ...texts } = plain;
  return {
    ...texts,
    ...(author === undefined ? {} : { author: bare(author) }),
    ...(auditReport === undefined ? {} : { auditReport: bare(auditReport) }),
    ...(deployment === undefined ? {} : { deployment: bare(deployment) }),
    ...(build === undefined ? {} : { build: buildOf(build) }),
    ...(samples === undefined ? {} : { samples: samplesIn(samples) }),
    ...(bearerEnv === undefined ? {} : { bearerEnv: bearerEnv.value }),
  };
}

function buildOf({ signer, ...build }: NonNullable<Rest['build']>): NonNullable<Listing['build']> {
  return signer === undefined ? bare(build) : { ...bare(build), signer: bare(signer) };
}

function bare<T extends { readonly place: Place; readonly keyPlaces: unknown }>(
  value: T,
): Omit<T, 'place' | 'keyPlaces'> {
  const { place: _place, keyPlaces: _keyPlaces, ...fields } = value;
  return fields;
}

function samplesIn(
  samples: NonNullable<Rest['samples']>,
): Readonly<Record<string, readonly ConfiguredSample[]>> {
  return Object.fromEntries(
    samples.map(({ key, value }) => [
      key,
      value.map(({ input, fails = false }): ConfiguredSample => ({ input, fails })),
    ]),
  );
}
