/**
 * Every character that acts on a terminal or hides in text: controls, the C1 range, bidirectional and zero-width characters,
 * line separators and lone surrogates; whatever is meant to be ignored where it is not known, such as variation
 * selectors, tags and fillers; the Braille pattern without a dot, which looks like a space and is none; and the two
 * noncharacters that neither XML nor YAML can hold, not even as an escape.
 */
export const LIVE_CHARACTERS =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\uFFFE\uFFFF]/gu;

const SHORT_NAMES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\u001B': '\\e',
};

/** Text of a target made visible, never live: what it holds can be read, and does nothing. Pure. */
export function visible(text: string): string {
  return withoutCommands(text).replaceAll(
    LIVE_CHARACTERS,
    (character) =>
      SHORT_NAMES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/** `##[group]` and `##vso[task.complete]` act anywhere in a line of a CI system’s log, `##teamcity[…]` at its start. */
const BRACKET_COMMAND = /##(?=[A-Za-z]*\[)/g;

/**
 * `::error file=a::` acts at the start of a line, white space aside. Where lines are broken is not known here, and what
 * ends a command may stand in the text that comes next, so every word that could be the start of one counts. An address
 * such as ::ffff:192.0.2.1 cannot.
 */
const COLON_COMMAND = /(?<!\S)::(?=[A-Za-z][\w-]*(?:\s|::|:?$))/g;

/** Text in which no CI system finds a command. */
function withoutCommands(text: string): string {
  return text.replaceAll(COLON_COMMAND, ':\\u{3A}').replaceAll(BRACKET_COMMAND, '#\\u{23}');
}

/** Text of several lines, each made visible for itself. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/**
 * The same value as JSON text, with every live character as an escape, and no command in it: such characters only stand
 * inside strings. A string never starts a line.
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
