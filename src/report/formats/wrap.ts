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
  const lines: string[] = [];
  let line = '';
  for (const part of withTheirOptions(command.match(/(?:'[^']*'|"[^"]*"|[^\s'"]+)+/g) ?? [command])) {
    if (line !== '' && line.length + 1 + part.length > width - 2) {
      lines.push(`${line} \\`);
      line = `  ${part}`;
    } else {
      line = line === '' ? part : `${line} ${part}`;
    }
  }
  return [...lines, line];
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
