import { stringifyExactly } from '../../json/exact-json.ts';
import type { FieldProblem, Listing, ParsedListing } from '../../model/listing.ts';
import { RECORD_FIELDS, type RecordField } from '../../model/saved/server-record.ts';
import type { SourceLocation } from '../../model/suite.ts';
import { targetVariable } from '../../model/target.ts';
import { didYouMean, type Place } from '../yaml/diagnostic.ts';
import { type Key, record, valuesByKey } from '../yaml/mapping.ts';
import { type Reporter, wrongType } from '../yaml/shape.ts';
import { plainValue, type Tree } from '../yaml/tree.ts';
import { listingShape, mcpListingShape, type RawListing, REQUIRED_FIELDS } from './listing-language.ts';

/** Without the version. */
type Said = Omit<RawListing, 'listing'>;

const { keys: KEYS } = listingShape;
const NAMES = Object.keys(KEYS);
const JUDGED = new Set<string>(RECORD_FIELDS);

/** Of the other keys, only the version is required. */
const versionShape = record('a listing', { listing: KEYS.listing });

/**
 * Reads a listing from its tree. Mistakes in fields of the server record go to `problems` of the listing, all others
 * are reported. Returns undefined if it is not a listing. Pure.
 */
export function readListingTree(tree: Tree, file: string, report: Reporter): ParsedListing | undefined {
  if (tree.kind !== 'map') return wrongType(report, tree, versionShape.words);
  for (const place of unstorable(tree)) report('wrong-value', place, UNSTORABLE, 'Remove it.');
  const at = ({ line, column }: Place): SourceLocation => ({ file, line, column });
  const known = tree.entries.filter(({ key, keyPlace }) => {
    const isKnown = Object.hasOwn(KEYS, key);
    if (!isKnown) report('unknown-key', keyPlace, `unknown key "${key}"`, didYouMean(key, NAMES, ''));
    return isKnown;
  });
  const isMcp = known.some(
    ({ key, value }) => key === 'protocol' && value.kind === 'scalar' && value.value === 'mcp',
  );
  const keys: Readonly<Record<string, Key<unknown, boolean>>> = isMcp ? mcpListingShape.keys : KEYS;
  const problems: FieldProblem[] = [];
  const judged: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const { key, value } of known.filter((entry) => entry.key !== 'listing')) {
    const refuse: Reporter = (_code, place, message, remedy) => {
      const expected = KEYS[key as RecordField].shape.words;
      const received = shown(value);
      problems.push({ field: key as RecordField, where: at(place), message, expected, received, remedy });
    };
    const isJudged = JUDGED.has(key);
    const read = keys[key]?.shape.read(value, isJudged ? refuse : report);
    if (read !== undefined) (isJudged ? judged : others)[key] = read;
  }
  const where = at(tree.place);
  const written = new Set(known.map(({ key }) => key));
  for (const field of REQUIRED_FIELDS.filter((name) => !written.has(name)))
    problems.push({
      field,
      where,
      message: `the field "${field}" is missing`,
      expected: KEYS[field].shape.words,
      received: 'nothing',
      remedy: `Add "${field}": ${KEYS[field].doc}`,
    });
  const version = known.filter(({ key }) => key === 'listing');
  if (versionShape.read({ ...tree, entries: version }, report) === undefined) return undefined;
  const said = saidIn({ ...judged, ...others } as Partial<Said>);
  refuseOtherVariable((others as Partial<Said>).bearerEnv, said.id, report);
  const places = Object.fromEntries(known.map(({ key, keyPlace }) => [key, at(keyPlace)]));
  return { where, said, problems, places };
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

const UNSTORABLE = 'the text contains U+0000 or half of a surrogate pair, which are not characters';

function isStorable(text: string): boolean {
  return !/[\0\ud800-\udfff]/u.test(text);
}

function refuseOtherVariable(given: Said['bearerEnv'], id: string | undefined, report: Reporter): void {
  if (given === undefined) return;
  const { value, place } = given;
  if (id === undefined) {
    const message = 'bearerEnv depends on the id, and the listing has no valid id';
    report('wrong-value', place, message, 'Set the id of the listing first.');
  } else if (value !== targetVariable(id))
    report(
      'wrong-value',
      place,
      `bearerEnv must name the variable of this server: ${targetVariable(id)}`,
      `Use ${targetVariable(id)}. Any other variable could contain another secret, which would be sent to the server.`,
    );
}

/** Texts come before structures. */
function saidIn({ bearerEnv, samples, ...read }: Partial<Said>): Partial<Listing> {
  const { author, auditReport, build, deployment, ...texts } = read;
  return {
    ...texts,
    ...(author && { author }),
    ...(auditReport && { auditReport }),
    ...(deployment && { deployment }),
    ...(build && { build }),
    ...(samples && { samples: valuesByKey(samples.map(withFails)) }),
    ...(bearerEnv && { bearerEnv: bearerEnv.value }),
  };
}

function withFails({ key, value }: NonNullable<RawListing['samples']>[number]) {
  return { key, value: value.map(({ input, fails = false }) => ({ input, fails })) };
}
