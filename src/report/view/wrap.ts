/** Breaks text at spaces so that no line is longer than the width, if its words allow it. */
export function wrap(text: string, width: number): readonly string[] {
  return inLines(text.split(/ +/), width);
}

function inLines(parts: readonly string[], width: number, end = '', start = ''): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of parts) {
    if (line !== '' && line.length + 1 + part.length > width) {
      lines.push(line + end);
      line = start + part;
    } else line = line === '' ? part : `${line} ${part}`;
  }
  return [...lines, line];
}

/** Further lines are indented, so that items are distinguishable. */
export function hanging(text: string, width: number): readonly string[] {
  return wrap(text, width - 2).map((line, index) => (index === 0 ? line : `  ${line}`));
}

/** A label before the first line, in a column. */
export function labelled(label: string, lines: readonly string[], width: number): readonly string[] {
  return lines.map((line, index) => `${(index === 0 ? label : '').padEnd(width)}${line}`);
}

/** Puts as many items on each line as fit; never breaks an item. */
export function wrapItems(items: readonly string[], separator: string, width: number): readonly string[] {
  const lines: string[] = [];
  const end = separator.trimEnd();
  for (const item of items) {
    const last = lines.at(-1);
    const longer = last === undefined ? item : last + separator + item;
    if (last !== undefined && longer.length + end.length <= width) lines[lines.length - 1] = longer;
    else {
      if (last !== undefined) lines[lines.length - 1] = last + end;
      lines.push(item);
    }
  }
  return lines;
}

/** Breaks a shell command between its arguments, so that the pieces can still be pasted as one. */
export function wrapCommand(command: string, width: number): readonly string[] {
  return inLines(withTheirOptions(argumentsOf(command)), width - 2, ' \\', '  ');
}

/** In pieces, because a single pattern with nested repetitions overflows the stack on a long argument. */
const PIECE = /\s+|\\.|'[^']*'|"[^"]*"|[^\s'"\\]+|['"\\]/gs;

function argumentsOf(command: string): readonly string[] {
  const parts: string[] = [];
  let isInside = false;
  for (const [piece] of command.matchAll(PIECE)) {
    const isSpace = /^\s/.test(piece);
    if (isInside && !isSpace) parts[parts.length - 1] += piece;
    else if (!isSpace) parts.push(piece);
    isInside = !isSpace;
  }
  return parts;
}

/** An option and its value stay on one line. */
function withTheirOptions(parts: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const part of parts) {
    const option = joined.at(-1);
    if (option !== undefined && /^-\S+$/.test(option) && !part.startsWith('-'))
      joined[joined.length - 1] = `${option} ${part}`;
    else joined.push(part);
  }
  return joined;
}
