import { print, say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { Heard } from '../../model/exchange.ts';
import { bufferFrom } from '../../model/sent.ts';
import { messagesInLine } from '../../wires/mcp/messages.ts';

/**
 * Prints what arrives as it arrives: lines for a person, or a JSON object for each. `own`: the key of the message whose
 * answer is printed.
 */
export function createHeardPrinter(own: string, asJson: boolean) {
  let sentMs: number | null = null;
  let printing: Promise<void> = Promise.resolve();
  return {
    /** The message is about to be sent. */
    start: (): void => {
      sentMs = performance.now();
    },
    take: ({ bytes, omittedBytes }: Heard, key: string | null, isKept: boolean): void => {
      // Answers to what opens the conversation, and a flood.
      if (!isKept || (key !== null && key !== own)) return;
      const afterMs = sentMs === null ? null : Math.round((performance.now() - sentMs) * 1000) / 1000;
      const raw = bufferFrom(bytes);
      const line = asJson
        ? JSON.stringify({ afterMs, answers: key === own, ...bytes, omittedBytes })
        : `${timeWords(afterMs)}  ${visible(raw.toString())}`;
      printing = printing.then(() => print([`${line}\n`]));
      if (omittedBytes > 0) {
        say(`${omittedBytes} bytes of a line were left out: it is too long.`);
        return;
      }
      for (const { message, problem } of messagesInLine(raw))
        if ('problem' in message) say(`It is no message of JSON-RPC 2.0: ${message.problem}.`);
        else if (problem !== null) say(`The message has a mistake: ${problem.message}.`);
    },
    done: (): Promise<void> => printing,
  };
}

/** In a column. Null for what arrived before the message was sent. */
function timeWords(afterMs: number | null): string {
  return (afterMs === null ? 'before' : `${(afterMs / 1000).toFixed(4)} s`).padStart(10);
}
