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
import { type ExactNumber, isExactNumber, numberFrom } from '../../json/exact-number.ts';
import type { Diagnostic, Place } from './diagnostic.ts';
import { type Reporter, reporterInto } from './shape.ts';
import { MAX_DEPTH, MAX_FILE_BYTES, MAX_NODES, type Tree, type TreeEntry } from './tree.ts';

export interface ParsedYaml {
  /** Null when the text cannot be read as one YAML 1.2 document of plain values. */
  readonly tree: Tree | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses one YAML 1.2 document, which may begin on a later line of its file. Pure; never throws on any text. */
export function parseYaml(text: string, file: string, line = 1): ParsedYaml {
  return refuseLarge(text, file, line) ?? build(parseDocument(text, OPTIONS), text, file, line);
}

/** Parses the YAML 1.2 documents of a stream, each by itself; places are those of the whole text. */
export function parseYamlStream(text: string, file: string): readonly ParsedYaml[] {
  const tooLarge = refuseLarge(text, file, 1);
  if (tooLarge !== null) return [tooLarge];
  const documents = parseAllDocuments(text, OPTIONS) as Document.Parsed[];
  return documents.map((document) => build(document, text, file, 1));
}

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: false,
  // Checked here, because the parser compares every key with every other.
  uniqueKeys: false,
  prettyErrors: false,
} as const;

function refuseLarge(text: string, file: string, line: number): ParsedYaml | null {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_FILE_BYTES) return null;
  const message = `the file has ${bytes} bytes, more than ${MAX_FILE_BYTES}`;
  const suggestion = 'Split it into several files.';
  const place = { line, column: 1, length: 1 };
  return { tree: null, diagnostics: [{ code: 'file-too-large', file, place, message, suggestion }] };
}

function build(document: Document.Parsed, text: string, file: string, line: number): ParsedYaml {
  const diagnostics: Diagnostic[] = [];
  const builder = new TreeBuilder(document, text, line, reporterInto(diagnostics, file));
  return { tree: builder.build(), diagnostics };
}

/** Tags that only repeat the type of a plain value. */
const PLAIN_TAGS = new Set(
  ['map', 'seq', 'str', 'null', 'bool', 'int', 'float'].map((name) => `tag:yaml.org,2002:${name}`),
);

class TreeBuilder {
  readonly #document: Document.Parsed;
  readonly #text: string;
  readonly #firstLine: number;
  readonly #lineStarts: readonly number[];
  readonly #report: Reporter;
  readonly #taggedLines = new Set<number>();
  /** Anchors so far, and the value of each alias at its place: an anchor may be defined again. */
  readonly #anchors = new Map<string, YamlNode>();
  readonly #targets = new Map<Alias, YamlNode | undefined>();
  #expanding = 0;
  #nodes = 0;

  constructor(document: Document.Parsed, text: string, firstLine: number, report: Reporter) {
    this.#document = document;
    this.#text = text;
    this.#firstLine = firstLine;
    // The parser's own count leaves out lines in which it found an error.
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    this.#report = report;
  }

  build(): Tree | null {
    const { errors, warnings, directives, contents } = this.#document;
    const tooDeep = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
    if (tooDeep !== undefined) return this.#refuseDepth(this.#place(...tooDeep.pos));
    for (const { code, pos, message } of errors) {
      const [problem, remedy] =
        code === 'MULTIPLE_DOCS'
          ? ['the file has more than one document', 'Write each document to a separate file.']
          : [`not valid YAML: ${firstLine(message)}`, SYNTAX_REMEDY];
      this.#report('yaml-syntax', this.#place(...pos), problem, remedy);
    }
    for (const { code, pos, message } of warnings) {
      const place = this.#place(...pos);
      if (code === 'TAG_RESOLVE_FAILED') this.#reportTag(place, 'custom tags are not part of the language');
      else this.#report('yaml-syntax', place, firstLine(message), 'Remove it.');
    }
    if (directives?.yaml.explicit === true && directives.yaml.version !== '1.2') {
      const start = Math.max(0, this.#text.search(/^%YAML/m));
      const place = this.#place(start, start + '%YAML 1.1'.length);
      const message = `the file requires YAML ${directives.yaml.version}`;
      this.#report('yaml-version', place, message, 'Remove the %YAML directive: the language is YAML 1.2.');
    }
    return errors.length > 0 ? null : this.#convert(contents, 0);
  }

  /** Null if the document is too large or too deep, which was reported. */
  #convert(node: YamlNode | null, depth: number): Tree | null {
    const place = this.#placeOf(node);
    this.#nodes += 1;
    if (this.#nodes === MAX_NODES + 1) {
      const message = `more than ${MAX_NODES} values, aliases expanded`;
      this.#report('too-many-nodes', place, message, 'Use fewer aliases, or split the file.');
    }
    if (this.#nodes > MAX_NODES) return null;
    if (depth > MAX_DEPTH) return this.#refuseDepth(place);
    if (node === null) return { kind: 'scalar', value: null, place };
    if (isAlias(node)) return this.#convertAlias(node, place, depth);
    this.#meet(node);
    if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag))
      this.#reportTag(place, `the tag ${node.tag} is not part of the language`);
    if (isMap(node)) return this.#convertMap(node, place, depth);
    if (!isSeq(node)) return this.#convertScalar(node, place);
    const items: Tree[] = [];
    for (const item of node.items as (YamlNode | Pair | null)[]) {
      // A list of pairs comes only from a tag, which was reported.
      const tree = this.#convert(isPair(item) ? null : item, depth + 1);
      if (tree === null) return null;
      items.push(tree);
    }
    return { kind: 'list', items, place };
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
      const isEmpty = pair.value === null || (isScalar(pair.value) && pair.value.source === '');
      entries.push({ key, keyPlace, value: isEmpty ? { ...value, place: keyPlace } : value });
    }
    return { kind: 'map', entries, place };
  }

  #convertScalar({ value, source }: Scalar, place: Place): Tree {
    if (value === null || typeof value === 'boolean' || typeof value === 'string')
      return { kind: 'scalar', value, place };
    // Dates and bytes come only from tags, which were reported.
    if (typeof value !== 'number') return { kind: 'scalar', value: source ?? null, place };
    if (!Number.isFinite(value)) {
      const message = 'a number that JSON cannot represent';
      this.#report('wrong-value', place, message, 'Write a finite number, or quote it to make it text.');
      return { kind: 'scalar', value: 0, place };
    }
    const exact = numberWritten(source ?? '');
    return { kind: 'scalar', value, ...(isExactNumber(exact) ? { exact } : {}), place };
  }

  /** Reports once for each line, because the parser also warns about some tags. */
  #reportTag(place: Place, message: string): void {
    if (this.#taggedLines.has(place.line)) return;
    this.#taggedLines.add(place.line);
    this.#report('custom-tag', place, message, 'Remove the tag and write a plain value.');
  }

  #refuseDepth(place: Place): null {
    const message = `nested deeper than ${MAX_DEPTH} levels`;
    this.#report('too-deep', place, message, 'Reduce the nesting; an alias may contain itself.');
    return null;
  }

  #placeOf(node: YamlNode | null): Place {
    return node?.range ? this.#place(node.range[0], node.range[1]) : this.#place(0, 1);
  }

  #place(start: number, end: number): Place {
    let line = 1;
    for (let after = this.#lineStarts.length; line < after; ) {
      const middle = Math.ceil((line + after) / 2);
      if ((this.#lineStarts[middle - 1] ?? Infinity) <= start) line = middle;
      else after = middle - 1;
    }
    const column = start - (this.#lineStarts[line - 1] ?? 0) + 1;
    return { line: line + this.#firstLine - 1, column, length: Math.max(1, end - start) };
  }
}

const SYNTAX_REMEDY = 'See yaml.org for the syntax; indentation uses spaces, never tabs.';

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

/** YAML also allows `+1`, `.5`, `1.`, leading zeros and integers to the base 8 and 16. */
function numberWritten(source: string): number | ExactNumber {
  if (/^0[xo]/.test(source)) return numberFrom(String(BigInt(source)));
  const [, sign = '', whole = '', rest = ''] = /^[+]?(-?)0*(\d*)(.*)$/.exec(source) ?? [];
  return numberFrom(`${sign}${whole || '0'}${rest.replace(/^\.(?!\d)/, '')}`);
}
