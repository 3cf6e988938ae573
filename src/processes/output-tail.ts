const MAX_BYTES = 64 * 1024;

/** Keeps the last part of a process's output, enough to see why it failed. */
export function createOutputTail(maxBytes = MAX_BYTES) {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  const kept = (): Buffer => {
    const all = Buffer.concat(chunks);
    isCut ||= all.length > maxBytes;
    return all.subarray(-maxBytes);
  };
  return {
    add: (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= 2 * maxBytes) return;
      // Copied, because a slice would keep the whole buffer in memory.
      chunks = [Buffer.from(kept())];
      bytes = maxBytes;
    },
    text: (): string => {
      const text = kept().toString('utf8');
      // The rest of a line may be the rest of a secret, which nobody would recognise.
      return isCut ? text.slice(text.indexOf('\n') + 1 || text.length) : text;
    },
  };
}

const MAX_LINES = 20;
const MAX_LINE_CHARACTERS = 300;

/** The last lines, indented, for a message; empty without output. */
export function lastLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines
    .slice(-MAX_LINES)
    .map(
      (line) => `  ${line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line}`,
    );
}
