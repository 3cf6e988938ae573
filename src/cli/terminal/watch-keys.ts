/** What keys of a terminal, or lines of another program, do. */
export interface KeyWatch {
  readonly onAgain: () => void;
  readonly onQuit: () => void;
  /** The input ended. */
  readonly onEnd: () => void;
}

const CONTROL_C = '\u0003';

/** Single keys of a terminal, lines of anything else. `close` stops listening. */
export function listenForKeys(
  stdin: NodeJS.ReadStream,
  { onAgain, onQuit, onEnd }: KeyWatch,
): { close(): void } {
  const isTerminal = stdin.isTTY === true;
  let line = '';
  const handle = (word: string): void => {
    if (word === '' || word.toLowerCase() === 'r') onAgain();
    else if (word.toLowerCase() === 'q') onQuit();
  };
  const onData = (text: string): void => {
    for (const character of text) {
      if (isTerminal) {
        // In raw mode it is a key like any other.
        if (character === CONTROL_C) onQuit();
        else handle(character === '\r' || character === '\n' ? '' : character);
      } else if (character === '\n') {
        handle(line.trim());
        line = '';
      } else if (line.length < 100) line += character;
    }
  };
  if (isTerminal) stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.on('data', onData);
  stdin.once('end', onEnd);
  stdin.once('error', onEnd);
  return {
    close: () => {
      stdin.off('data', onData);
      stdin.off('end', onEnd);
      if (isTerminal) stdin.setRawMode(false);
      // An open pipe would keep the process from ending.
      stdin.destroy();
    },
  };
}
