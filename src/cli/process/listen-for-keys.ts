/** Commands from the keyboard, or from a program that writes lines. */
interface KeyWatch {
  readonly onAgain: () => void;
  readonly onQuit: () => void;
  /** The input ended: no more commands can arrive. */
  readonly onEnd: () => void;
}

const CONTROL_C = '\u0003';

/** Reads single keys from a terminal, lines from any other input. Returns a function that stops reading. */
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
        // In raw mode, ctrl-C is a key like any other.
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
