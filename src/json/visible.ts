import { stringifyExactly } from './exact-json.ts';
import type { Json } from './json.ts';

/**
 * Characters that control a terminal or are invisible: controls, the C1 range, bidirectional and zero-width characters,
 * line separators and lone surrogates; default-ignorable characters such as variation selectors, tags and fillers; the
 * blank Braille pattern; and noncharacters, two of which XML and YAML cannot contain, even as escapes.
 */
export const LIVE_CHARACTERS =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu;

/** Most texts are. This pattern takes much less time than the other ones. */
const PRINTABLE_ASCII = /^[ -~]*$/;

const SHORT_NAMES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\u001B': '\\e',
};

/** Escapes active and invisible characters in a target's text, so that it can be printed safely. Pure. */
export function visible(text: string): string {
  const isPrintable = PRINTABLE_ASCII.test(text);
  if (isPrintable && !text.includes('::') && !text.includes('##')) return text;
  const harmless = withoutCommands(text);
  if (isPrintable) return harmless;
  return harmless.replaceAll(
    LIVE_CHARACTERS,
    (character) =>
      SHORT_NAMES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/** `##[group]` and `##vso[task.complete]` act anywhere in a line of a CI system’s log, `##teamcity[…]` at its start. */
const BRACKET_COMMAND = /##(?=[A-Za-z]*\[)/g;

/**
 * `::error file=a::` acts at the start of a line, after optional white space. Line breaks are not known here, and the
 * next text may end a command. Therefore every word that could start a command is escaped. An address such as
 * ::ffff:192.0.2.1 cannot start one.
 */
const COLON_COMMAND = /(?<!\S)::(?=[A-Za-z][\w-]*(?:\s|::|:?$))/g;

/** Escapes the commands of CI systems. */
function withoutCommands(text: string): string {
  return text.replaceAll(COLON_COMMAND, ':\\u{3A}').replaceAll(BRACKET_COMMAND, '#\\u{23}');
}

/** Makes each line of a text visible. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** A value as JSON, which is YAML too, with active characters escaped. */
export function liveFreeJson(value: Json): string {
  return escapeLive(stringifyExactly(value));
}

/**
 * JSON text of the same value, with active characters and CI commands escaped. Both occur only inside strings, and no
 * string starts a line.
 */
export function escapeLive(json: string): string {
  return json
    .replaceAll(LIVE_CHARACTERS, (character) =>
      character === '\n' ? character : character.split('').map(unicodeEscape).join(''),
    )
    .replaceAll(BRACKET_COMMAND, `#${unicodeEscape('#')}`);
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
