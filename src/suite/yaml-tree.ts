import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseAllDocuments,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type Node as YamlNode,
} from 'yaml';
import { type ExactNumber, isExactNumber, numberFrom } from '../json/exact-number.ts';
import type { Json } from '../json/json.ts';
import type { Diagnostic, DiagnosticCode, Place } from './diagnostic.ts';

/** YAML reduced to the values of JSON, each with its place in the text. */
export type Tree =
  | {
      readonly kind: 'scalar';
      readonly value: null | boolean | number | string;
      /** The number with its digits, if a double changes it. */
      readonly exact?: ExactNumber;
      readonly place: Place;
    }
  | { readonly kind: 'list'; readonly items: readonly Tree[]; readonly place: Place }
  | { readonly kind: 'map'; readonly entries: readonly TreeEntry[]; readonly place: Place };

export interface TreeEntry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: Tree;
}

export const MAX_FILE_BYTES = 1024 * 1024;
/** Counted with aliases expanded, so that a few lines cannot stand for millions of nodes. */
export const MAX_NODES = 100_000;
export const MAX_DEPTH = 64;

export interface ParsedYaml {
  /** Null when the text cannot be read as one YAML 1.2 document of plain values. */
  readonly tree: Tree | null;
  readonly diagnostics: readonly Diagnostic[];
}

const START: Place = { line: 1, column: 1, length: 1 };

/** Parses one YAML 1.2 document. Pure; never throws on any text. */
export function parseYaml(text: string, file: string): ParsedYaml {
  const tooLarge = refuseLarge(text, file);
  if (tooLarge !== null) return tooLarge;
  return new TreeBuilder(parseDocument(text, OPTIONS), text, file).build();
}

/** Parses the YAML 1.2 documents of a stream, each by itself; places are those of the whole text. */
export function parseYamlStream(text: string, file: string): readonly ParsedYaml[] {
  const tooLarge = refuseLarge(text, file);
  if (tooLarge !== null) return [tooLarge];
  const documents = parseAllDocuments(text, OPTIONS);
  return (documents as Document.Parsed[]).map((document) => new TreeBuilder(document, text, file).build());
}

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: false,
  // Checked here, because the parser compares every key with every other.
  uniqueKeys: false,
  prettyErrors: false,
} as const;

function refuseLarge(text: string, file: string): ParsedYaml | null {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_FILE_BYTES) return null;
  const diagnostic: Diagnostic = {
    code: 'file-too-large',
    file,
    place: START,
    message: `the file has ${bytes} bytes, more than ${MAX_FILE_BYTES}`,
    suggestion: 'Split it into several files.',
  };
  return { tree: null, diagnostics: [diagnostic] };
}

/** Tags that only repeat the type of a plain value. */
const PLAIN_TAGS = new Set(
  ['map', 'seq', 'str', 'null', 'bool', 'int', 'float'].map((name) => `tag:yaml.org,2002:${name}`),
);
const TAG_REMEDY = 'Remove the tag and write a plain value.';

class TreeBuilder {
  readonly #document: Document.Parsed;
  readonly #text: string;
  readonly #lineStarts: readonly number[];
  readonly #file: string;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #taggedLines = new Set<number>();
  /** Anchors so far, and the value of each alias at its place: an anchor may be defined again. */
  readonly #anchors = new Map<string, YamlNode>();
  readonly #targets = new Map<Alias, YamlNode | undefined>();
  #expanding = 0;
  #nodes = 0;

  constructor(document: Document.Parsed, text: string, file: string) {
    this.#document = document;
    this.#text = text;
    // The parser's own count leaves out lines in which it found an error.
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    this.#file = file;
  }

  build(): ParsedYaml {
    const tooDeep = this.#document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
    if (tooDeep !== undefined) {
      this.#reportTooDeep(this.#place(tooDeep.pos[0], tooDeep.pos[1]));
      return this.#result(null);
    }
    for (const { code, pos, message } of this.#document.errors) {
      const several = code === 'MULTIPLE_DOCS';
      this.#report(
        'yaml-syntax',
        this.#place(pos[0], pos[1]),
        several ? 'the file has more than one document' : `not valid YAML: ${firstLine(message)}`,
        several
          ? 'Write each document to a separate file.'
          : 'See yaml.org for the syntax; indentation uses spaces, never tabs.',
      );
    }
    for (const { code, pos, message } of this.#document.warnings) {
      const place = this.#place(pos[0], pos[1]);
      if (code === 'TAG_RESOLVE_FAILED') this.#reportTag(place, 'custom tags are not part of the language');
      else this.#report('yaml-syntax', place, firstLine(message), 'Remove it.');
    }
    const version = this.#document.directives?.yaml;
    if (version?.explicit === true && version.version !== '1.2') {
      const start = Math.max(0, this.#text.search(/^%YAML/m));
      this.#report(
        'yaml-version',
        this.#place(start, start + '%YAML 1.1'.length),
        `the file requires YAML ${version.version}`,
        'Remove the %YAML directive: the language is YAML 1.2.',
      );
    }
    if (this.#document.errors.length > 0) return this.#result(null);
    return this.#result(this.#convert(this.#document.contents, 0));
  }

  #result(tree: Tree | null): ParsedYaml {
    return { tree, diagnostics: this.#diagnostics };
  }

  #convert(node: YamlNode | null, depth: number): Tree | null {
    this.#nodes += 1;
    if (this.#nodes === MAX_NODES + 1) {
      this.#report(
        'too-many-nodes',
        this.#placeOf(node),
        `more than ${MAX_NODES} values, aliases expanded`,
        'Use fewer aliases, or split the file.',
      );
    }
    if (this.#nodes > MAX_NODES) return null;
    if (depth > MAX_DEPTH) {
      this.#reportTooDeep(this.#placeOf(node));
      return null;
    }
    const place = this.#placeOf(node);
    if (node === null) return { kind: 'scalar', value: null, place };
    if (isAlias(node)) return this.#convertAlias(node, place, depth);
    this.#meet(node);
    if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag))
      this.#reportTag(place, `the tag ${node.tag} is not part of the language`);
    if (isMap(node)) return this.#convertMap(node, place, depth);
    if (isSeq(node)) {
      const items: Tree[] = [];
      for (const item of node.items as (YamlNode | Pair | null)[]) {
        // A list of pairs comes only from a tag, which was reported.
        const tree = this.#convert(isPair(item) ? null : item, depth + 1);
        if (tree === null) return null;
        items.push(tree);
      }
      return { kind: 'list', items, place };
    }
    return this.#convertScalar(node, place);
  }

  #convertAlias(alias: Alias, place: Place, depth: number): Tree | null {
    if (!this.#targets.has(alias)) this.#targets.set(alias, this.#anchors.get(alias.source));
    const target = this.#targets.get(alias);
    if (target === undefined) {
      const message = `no anchor "&${alias.source}" before this alias`;
      this.#report('yaml-syntax', place, message, 'Define the anchor first, or write the value here.');
      return { kind: 'scalar', value: null, place };
    }
    this.#expanding += 1;
    const tree = this.#convert(target, depth + 1);
    this.#expanding -= 1;
    return tree;
  }

  #meet(node: Exclude<YamlNode, Alias>): void {
    if (node.anchor !== undefined && this.#expanding === 0) this.#anchors.set(node.anchor, node);
  }

  #convertMap(node: YAMLMap, place: Place, depth: number): Tree | null {
    const entries: TreeEntry[] = [];
    const keys = new Set<string>();
    for (const pair of node.items as Pair<YamlNode, YamlNode | null>[]) {
      const keyPlace = this.#placeOf(pair.key);
      if (!isScalar(pair.key)) {
        this.#report('wrong-type', keyPlace, 'a key must be plain text', 'Write the key as text.');
        continue;
      }
      this.#meet(pair.key);
      const key = pair.key.source ?? String(pair.key.value);
      if (keys.has(key)) {
        const message = 'duplicate key in one mapping';
        this.#report('duplicate-key', keyPlace, message, 'Keep one of the two, with the entries of both.');
      }
      keys.add(key);
      const value = this.#convert(pair.value ?? null, depth + 1);
      if (value === null) return null;
      const empty = pair.value === null || (isScalar(pair.value) && pair.value.source === '');
      const withPlace = empty ? { ...value, place: keyPlace } : value;
      entries.push({ key, keyPlace, value: withPlace });
    }
    return { kind: 'map', entries, place };
  }

  #convertScalar({ value, source }: Scalar, place: Place): Tree {
    if (value === null || typeof value === 'boolean' || typeof value === 'string')
      return { kind: 'scalar', value, place };
    if (typeof value === 'number' && Number.isFinite(value)) {
      const exact = numberWritten(source ?? '');
      return { kind: 'scalar', value, ...(isExactNumber(exact) ? { exact } : {}), place };
    }
    // Dates and bytes come only from tags, which were reported.
    if (typeof value !== 'number') return { kind: 'scalar', value: source ?? null, place };
    this.#report(
      'wrong-value',
      place,
      'a number that JSON cannot represent',
      'Write a finite number, or quote it to make it text.',
    );
    return { kind: 'scalar', value: 0, place };
  }

  /** Reports once for each line, because the parser also warns about some tags. */
  #reportTag(place: Place, message: string): void {
    if (this.#taggedLines.has(place.line)) return;
    this.#taggedLines.add(place.line);
    this.#report('custom-tag', place, message, TAG_REMEDY);
  }

  #reportTooDeep(place: Place): void {
    const message = `nested deeper than ${MAX_DEPTH} levels`;
    this.#report('too-deep', place, message, 'Reduce the nesting; an alias may contain itself.');
  }

  #placeOf(node: YamlNode | null): Place {
    const range = node?.range;
    return range ? this.#place(range[0], range[1]) : START;
  }

  #place(start: number, end: number): Place {
    let line = 1;
    for (let after = this.#lineStarts.length; line < after; ) {
      const middle = Math.ceil((line + after) / 2);
      if ((this.#lineStarts[middle - 1] ?? Infinity) <= start) line = middle;
      else after = middle - 1;
    }
    const column = start - (this.#lineStarts[line - 1] ?? 0) + 1;
    return { line, column, length: Math.max(1, end - start) };
  }

  #report(code: DiagnosticCode, place: Place, message: string, suggestion: string): void {
    this.#diagnostics.push({ code, file: this.#file, place, message, suggestion });
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

/** YAML also allows `+1`, `.5`, `1.`, leading zeros and integers to the base 8 and 16. */
function numberWritten(source: string): number | ExactNumber {
  if (/^0[xo]/.test(source)) return numberFrom(String(BigInt(source)));
  const [, sign = '', whole = '', rest = ''] = /^[+]?(-?)0*(\d*)(.*)$/.exec(source) ?? [];
  return numberFrom(`${sign}${whole || '0'}${rest.replace(/^\.(?!\d)/, '')}`);
}

/** The plain value of a tree. */
export function plainValue(tree: Tree): Json {
  if (tree.kind === 'scalar') return tree.exact ?? tree.value;
  if (tree.kind === 'list') return tree.items.map(plainValue);
  return Object.fromEntries(tree.entries.map(({ key, value }) => [key, plainValue(value)]));
}
