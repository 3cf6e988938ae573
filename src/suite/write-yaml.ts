import { Document, Pair, Scalar, visit, YAMLMap } from 'yaml';
import type { Json } from '../model/json.ts';
import { LIVE_CHARACTERS } from '../model/visible.ts';

/** A key of a file for people, under the lines that explain it. */
export type YamlEntry = {
  readonly comment: readonly string[];
  readonly key: string;
} & ({ readonly value: Json } | { readonly entries: readonly YamlEntry[] });

/** Lines of explanation alone, or with what they explain. */
export type YamlSection = { readonly comment: readonly string[] } | YamlEntry | YamlOffer;

/** An entry that counts for nothing until somebody takes the comment signs away. */
export interface YamlOffer {
  readonly comment: readonly string[];
  readonly offered: YamlEntry;
  /** Its key stands above already, outside of a comment, and only what is below it is offered. */
  readonly continues: boolean;
}

/**
 * A YAML file of explained sections. Whatever the texts hold, they stand in the file as what they are: keys, values and
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

/** Without what is said above the entry itself. */
function linesOf(section: YamlEntry): readonly string[] {
  const document = new Document(null, { version: '1.2', schema: 'core' });
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
    doubleQuotedMinMultiLineLength: MAX_CHARACTERS,
  });
  return text.trimEnd().split('\n').map(escapeHidden);
}

/** Text in quotes stays on one line. */
const MAX_CHARACTERS = 1_000_000_000;

function mapOf(document: Document, entries: readonly YamlEntry[]): YAMLMap {
  const map = new YAMLMap();
  for (const entry of entries) {
    const { comment, key } = entry;
    const keyNode = new Scalar(key);
    if (comment.length > 0) keyNode.commentBefore = comment.map((line) => ` ${oneLine(line)}`).join('\n');
    const value =
      'entries' in entry
        ? mapOf(document, entry.entries)
        : document.createNode(entry.value, { aliasDuplicateObjects: false });
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
