import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type YAMLMap,
  type Node as YamlNode,
} from 'yaml';
import type { Json } from '../model/json.ts';
import type { Diagnostic, DiagnosticCode, Place } from './diagnostic.ts';

/** YAML reduced to JSON's values, each with its place in the text. */
export type Tree =
  | { readonly kind: 'scalar'; readonly value: null | boolean | number | string; readonly place: Place }
  | { readonly kind: 'list'; readonly items: readonly Tree[]; readonly place: Place }
  | { readonly kind: 'map'; readonly entries: readonly TreeEntry[]; readonly place: Place };

export interface TreeEntry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: Tree;
}

export const MAX_FILE_BYTES = 1024 * 1024;
/** Counted with aliases expanded, so that a few lines cannot stand for millions of nodes. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 64;

export interface ParsedYaml {
  /** Null when the text cannot be read as one YAML 1.2 document of plain values. */
  readonly tree: Tree | null;
  readonly diagnostics: readonly Diagnostic[];
}

const START: Place = { line: 1, column: 1, length: 1 };

/** Parses one YAML 1.2 document. Pure; never throws on any text. */
export function parseYaml(text: string, file: string): ParsedYaml {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    const diagnostic: Diagnostic = {
      code: 'file-too-large',
      file,
      place: START,
      message: `the file holds ${Buffer.byteLength(text)} bytes, more than ${MAX_FILE_BYTES}`,
      suggestion: 'Split it into several files.',
    };
    return { tree: null, diagnostics: [diagnostic] };
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    lineCounter,
    prettyErrors: false,
  });
  return new TreeBuilder(document, lineCounter, file).build();
}

class TreeBuilder {
  readonly #document: Document.Parsed;
  readonly #lineCounter: LineCounter;
  readonly #file: string;
  readonly #diagnostics: Diagnostic[] = [];
  #nodes = 0;

  constructor(document: Document.Parsed, lineCounter: LineCounter, file: string) {
    this.#document = document;
    this.#lineCounter = lineCounter;
    this.#file = file;
  }

  build(): ParsedYaml {
    for (const error of this.#document.errors) {
      const duplicate = error.code === 'DUPLICATE_KEY';
      this.#report(
        duplicate ? 'duplicate-key' : 'yaml-syntax',
        this.#place(error.pos[0], error.pos[1]),
        duplicate
          ? 'the same key stands twice in one mapping'
          : `not valid YAML: ${firstLine(error.message)}`,
        duplicate
          ? 'Keep one of the two.'
          : 'See yaml.org for the syntax; indentation uses spaces, never tabs.',
      );
    }
    for (const warning of this.#document.warnings) {
      const tag = warning.code === 'TAG_RESOLVE_FAILED';
      this.#report(
        tag ? 'custom-tag' : 'yaml-syntax',
        this.#place(warning.pos[0], warning.pos[1]),
        tag ? 'custom tags are not part of the language' : firstLine(warning.message),
        tag ? 'Remove the tag and write a plain value.' : 'Remove it.',
      );
    }
    const version = this.#document.directives?.yaml;
    if (version?.explicit === true && version.version !== '1.2') {
      this.#report(
        'yaml-version',
        START,
        `the file asks for YAML ${version.version}`,
        'Remove the %YAML directive: the language is YAML 1.2.',
      );
    }
    if (this.#document.errors.some((error) => error.code !== 'DUPLICATE_KEY')) return this.#result(null);
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
      this.#report(
        'too-deep',
        this.#placeOf(node),
        `nested deeper than ${MAX_DEPTH} levels`,
        'Make it flatter; an alias may contain itself.',
      );
      return null;
    }
    const place = this.#placeOf(node);
    if (node === null) return { kind: 'scalar', value: null, place };
    if (isAlias(node))
      return this.#convert((node.resolve(this.#document) as YamlNode | undefined) ?? null, depth + 1);
    this.#refuseTag(node, place);
    if (isMap(node)) return this.#convertMap(node, place, depth);
    if (isSeq(node)) {
      const items: Tree[] = [];
      for (const item of node.items as (YamlNode | null)[]) {
        const tree = this.#convert(item, depth + 1);
        if (tree === null) return null;
        items.push(tree);
      }
      return { kind: 'list', items, place };
    }
    return isScalar(node) ? this.#convertScalar(node.value, place) : null;
  }

  #convertMap(node: YAMLMap, place: Place, depth: number): Tree | null {
    const entries: TreeEntry[] = [];
    for (const pair of node.items as Pair<YamlNode, YamlNode | null>[]) {
      const keyPlace = this.#placeOf(pair.key);
      if (!isScalar(pair.key)) {
        this.#report('wrong-type', keyPlace, 'a key must be plain text', 'Write the key as text.');
        continue;
      }
      const value = this.#convert(pair.value ?? null, depth + 1);
      if (value === null) return null;
      const withPlace = pair.value === null ? { ...value, place: keyPlace } : value;
      entries.push({ key: pair.key.source ?? String(pair.key.value), keyPlace, value: withPlace });
    }
    return { kind: 'map', entries, place };
  }

  #convertScalar(value: unknown, place: Place): Tree {
    if (value === null || typeof value === 'boolean' || typeof value === 'string')
      return { kind: 'scalar', value, place };
    if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'scalar', value, place };
    this.#report(
      'wrong-value',
      place,
      'a number that JSON cannot hold',
      'Write a finite number, or quote it to make it text.',
    );
    return { kind: 'scalar', value: 0, place };
  }

  #refuseTag(node: YamlNode, place: Place): void {
    const { tag } = node;
    if (tag === undefined || tag.startsWith('tag:yaml.org,2002:')) return;
    if (this.#diagnostics.some((known) => known.code === 'custom-tag' && known.place.line === place.line))
      return;
    this.#report(
      'custom-tag',
      place,
      `the tag ${tag} is not part of the language`,
      'Remove the tag and write a plain value.',
    );
  }

  #placeOf(node: YamlNode | null): Place {
    const range = node?.range;
    return range ? this.#place(range[0], range[1]) : START;
  }

  #place(start: number, end: number): Place {
    const { line, col } = this.#lineCounter.linePos(start);
    return { line: Math.max(1, line), column: Math.max(1, col), length: Math.max(1, end - start) };
  }

  #report(code: DiagnosticCode, place: Place, message: string, suggestion: string): void {
    this.#diagnostics.push({ code, file: this.#file, place, message, suggestion });
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

/** The plain value that a tree stands for. */
export function plainValue(tree: Tree): Json {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(plainValue);
  return Object.fromEntries(tree.entries.map(({ key, value }) => [key, plainValue(value)]));
}
