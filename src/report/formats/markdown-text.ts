import { shorten } from '../../json/json.ts';
import type { TargetMark } from '../view/targets-view.ts';
import { type ProsePart, proseParts, type VerdictMark } from '../view/words.ts';

export const MARKS: Readonly<Record<VerdictMark | TargetMark, string>> = {
  pass: '✅ ',
  fail: '❌ ',
  unreachable: '❌ ',
  incomplete: '❔ ',
  measured: '',
  'not-checked': '',
  'not-judged': '',
};

const MAX_TEXT_CHARACTERS = 400;
const MAX_CELL_CHARACTERS = 100;

/** The first column has names, the others numbers. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = heads.map((_, index) => (index === 0 ? '---' : '---:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Commands that a reader unfolds; nothing without any. */
export function details(title: string, commands: readonly (string | null | undefined)[]): string {
  const lines = commands.filter((command) => command != null);
  if (lines.length === 0) return '';
  const fence = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1));
  return [`<details><summary>${title}</summary>`, '', `${fence}sh`, ...lines, fence, '', '</details>'].join(
    '\n',
  );
}

/** Only complete blocks, as many as fit, and the number of the others. */
export function within(
  blocks: readonly string[],
  maxCharacters: number,
  more: (count: number) => string,
): readonly string[] {
  let left = maxCharacters;
  const fitting = blocks.filter((block) => {
    if (block.length > left) return false;
    left -= block.length;
    return true;
  });
  const rest = blocks.length - fitting.length;
  return rest === 0 ? fitting : [...fitting, more(rest)];
}

/**
 * Text as code, where nothing becomes a link, a mention, a tag or a table. Used for all text that may come from a
 * target.
 */
export function code(text: string, maxCharacters = MAX_TEXT_CHARACTERS): string {
  const shown = shorten(text, maxCharacters);
  if (shown === '') return '(empty)';
  const fence = '`'.repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** A vertical bar would end a cell even inside code. */
export function cell(text: string): string {
  return code(text, MAX_CELL_CHARACTERS).replaceAll('|', '\\|');
}

/**
 * Text of the product or of a user’s own suite, which may quote a target. GitHub turns words into mentions, references
 * and links even if they are escaped, but not inside code.
 */
export function plain(text: string): string {
  const parts = proseParts(text).flatMap((part) => (part.isCode ? [part] : wordsOf(part.text)));
  return joined(parts)
    .map((part) => (part.isCode ? code(part.text) : part.text.replaceAll(MARKUP, '\\$&')))
    .join('');
}

const LINKED = /@|#\d|\bGH-\d|:\/\/|\bwww\./i;
/** A list, a heading or a quotation begins only with the text; newlines are escaped already. */
const MARKUP = /[\\`*_[\]<>&~|$]|^[#+=-]|(?<=^\d+)[.)](?= |$)/g;

function wordsOf(text: string): readonly ProsePart[] {
  return text.split(/(?= )|(?<= )/).map((word) => ({ text: word, isCode: LINKED.test(word) }));
}

/** Two pieces of code side by side would not end where they should. */
function joined(parts: readonly ProsePart[]): readonly ProsePart[] {
  const all: ProsePart[] = [];
  for (const { text, isCode } of parts) {
    const last = all.at(-1);
    if (last?.isCode === isCode) all[all.length - 1] = { text: last.text + text, isCode };
    else all.push({ text, isCode });
  }
  return all;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
