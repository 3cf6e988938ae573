/**
 * Characters that act on a terminal or hide in text: controls, the C1 range, bidirectional and zero-width characters,
 * line separators, the byte order mark, tags and lone surrogates.
 */
const LIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115F\u1160\u3164\uFFA0]/gu;

const SHORT_NAMES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\u001B': '\\e',
};

/** Text of a target made visible, never live: what it holds can be read, and does nothing. Pure. */
export function visible(text: string): string {
  return withoutCommands(text).replaceAll(
    LIVE,
    (character) =>
      SHORT_NAMES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/** What starts a command in the logs of CI systems: `::error::` where a line may begin, `##[group]` anywhere. */
function withoutCommands(text: string): string {
  return text.replaceAll(/::(?=[A-Za-z][^:]*::)/g, ':\\u{3A}').replaceAll(/##(?=\[)/g, '#\\u{23}');
}

/** Text of several lines, each made visible for itself. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** The same value as JSON text, with every live character as an escape: such characters only stand inside strings. */
export function escapeLive(json: string): string {
  return json.replaceAll(LIVE, (character) =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()].map((at) => unicodeEscape(character.charCodeAt(at))).join(''),
  );
}

function unicodeEscape(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`;
}
