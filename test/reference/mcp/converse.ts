import { PassThrough } from 'node:stream';
import type { Catalog } from '../../../src/reference/mcp/protocol/catalog.ts';
import { serveStreams } from '../../../src/reference/mcp/stdio.ts';

type Sent = Readonly<Record<string, unknown>>;
export interface Line extends Sent {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

export interface Conversing {
  readonly send: (message: object | string) => void;
  /** The next line that the server writes. */
  readonly next: () => Promise<Line>;
  /** Ends the input; the lines that the server writes until it ends. */
  readonly end: () => Promise<readonly Line[]>;
}

/** A conversation over standard streams, in which the input depends on the output. */
export function converse(catalog: Catalog): Conversing {
  const input = new PassThrough();
  const lines: string[] = [];
  let wake = (): void => undefined;
  const output = {
    write: (text: string) => {
      lines.push(text);
      wake();
    },
  };
  const ended = serveStreams(input, output, catalog);
  const parsed = (line: string): Line => JSON.parse(line);
  return {
    send: (message) =>
      void input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    next: async () => {
      if (lines.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return parsed(lines.shift() ?? '');
    },
    end: async () => {
      input.end();
      await ended;
      return lines.splice(0).map(parsed);
    },
  };
}
