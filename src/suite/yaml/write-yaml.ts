import { Document, Pair, Scalar, type ScalarTag, visit, YAMLMap } from 'yaml';
import { isExactNumber } from '../../json/exact-number.ts';
import type { Json } from '../../json/json.ts';
import { LIVE_CHARACTERS } from '../../json/visible.ts';

/** A key of a generated file, below its explanation. */
export type YamlEntry = {
  readonly comment: readonly string[];
  readonly key: string;
} & ({ readonly value: Json } | { readonly entries: readonly YamlEntry[] });

/** An explanation, alone or with its key. */
export type YamlSection = { readonly comment: readonly string[] } | YamlEntry | YamlOffer;

/** An entry that is commented out. */
export interface YamlOffer {
  readonly comment: readonly string[];
  readonly offered: YamlEntry;
  /** Its key is already above, outside of a comment; only its content is commented out. */
  readonly continues: boolean;
}

/**
 * A YAML file of explained sections. Whatever the texts contain, keys stay keys, values stay values and comments stay
 * comments. Pure.
 */
export function writeYaml(sections: readonly YamlSection[]): string {
  return `${sections.map(writeSection).join('\n\n')}\n`;
}

function writeSection(section: YamlSection): string {
  const comment = section.comment.map(commented);
  if ('offered' in section) {
    const lines = linesOf(section.offered);
    return [...comment, ...(section.continues ? lines.slice(1) : lines).map(commented)].join('\n');
  }
  return 'key' in section ? [...comment, ...linesOf(section)].join('\n') : comment.join('\n');
}

function commented(line: string): string {
  return `#${line === '' ? '' : ' '}${oneLine(line)}`;
}

/** The lines of an entry without its own comment. */
function linesOf(section: YamlEntry): readonly string[] {
  const document = new Document(null, {
    version: '1.2',
    schema: 'core',
    customTags: (tags) => [EXACT_NUMBER, ...tags],
  });
  document.contents = mapOf(document, [{ ...section, comment: [] }]);
  visit(document, {
    Scalar: (_key, node) => {
      // Only text in double quotes can hold escapes.
      if (typeof node.value === 'string' && node.value.search(LIVE_CHARACTERS) !== -1)
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = document.toString({
    lineWidth: 0,
    blockQuote: false,
    // Text in quotes stays on one line.
    doubleQuotedMinMultiLineLength: 1_000_000_000,
  });
  return text.trimEnd().split('\n').map(escapeHidden);
}

const EXACT_NUMBER: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isExactNumber,
  resolve: Number,
  stringify: ({ value }) => String(value),
};

/** The document would take a boxed text for a text. */
function asNode(_key: unknown, value: unknown): unknown {
  return isExactNumber(value) ? new Scalar(value) : value;
}

function mapOf(document: Document, entries: readonly YamlEntry[]): YAMLMap {
  const map = new YAMLMap();
  for (const entry of entries) {
    const { comment, key } = entry;
    const keyNode = new Scalar(key);
    if (comment.length > 0) keyNode.commentBefore = comment.map((line) => ` ${oneLine(line)}`).join('\n');
    const value =
      'entries' in entry
        ? mapOf(document, entry.entries)
        : document.createNode(entry.value, asNode, { aliasDuplicateObjects: false });
    map.items.push(new Pair(keyNode, value));
  }
  return map;
}

/** A comment ends where its line does. */
function oneLine(text: string): string {
  return text.replaceAll(LIVE_CHARACTERS, '\uFFFD');
}

function escapeHidden(line: string): string {
  return line.replaceAll(LIVE_CHARACTERS, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return character.length === 1 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
  });
}
