/** Breaks text at spaces so that no line is longer than the width, if its words allow it. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Breaks a shell command between its arguments, so that the pieces can still be pasted as one. */
export function wrapCommand(command: string, width: number): readonly string[] {
  const parts = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"]+)+/g) ?? [command];
  const lines: string[] = [];
  let line = '';
  for (const part of parts) {
    if (line !== '' && line.length + 1 + part.length > width - 2) {
      lines.push(`${line} \\`);
      line = `  ${part}`;
    } else {
      line = line === '' ? part : `${line} ${part}`;
    }
  }
  return [...lines, line];
}
