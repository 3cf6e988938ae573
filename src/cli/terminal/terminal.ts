import { once } from 'node:events';
import { visibleLines } from '../../model/visible.ts';
import { COLOURS, type Palette, PLAIN } from '../../report/terminal/palette.ts';

/** Colour only on a terminal; NO_COLOR and FORCE_COLOR override this. */
export function paletteFor(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Palette {
  if (environment.NO_COLOR !== undefined && environment.NO_COLOR !== '') return PLAIN;
  if (environment.FORCE_COLOR !== undefined && environment.FORCE_COLOR !== '0') return COLOURS;
  return stream.isTTY === true && environment.TERM !== 'dumb' ? COLOURS : PLAIN;
}

export function columnsOf(stream: NodeJS.WriteStream): number {
  // TERM=dumb means a terminal without colour.
  return stream.isTTY === true && stream.columns > 0 ? stream.columns : 80;
}

export function say(text: string): void {
  process.stderr.write(`${visibleLines(text)}\n`);
}

/** Writes the parts to standard output at the pace of the reader, and stops when the reader closes it. */
export async function print(parts: Iterable<string>): Promise<void> {
  const { stdout } = process;
  for (const part of parts) {
    if (stdout.destroyed) return;
    if (stdout.write(part)) continue;
    const done = new AbortController();
    const { signal } = done;
    const ignored = (): void => undefined;
    await Promise.race([
      once(stdout, 'drain', { signal }).catch(ignored),
      once(stdout, 'close', { signal }).catch(ignored),
    ]);
    done.abort();
  }
}
