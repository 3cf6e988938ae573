import { COLOURS, type Palette, PLAIN } from '../report/formats/palette.ts';
import { visibleLines } from '../report/visible.ts';

/** Colour only on a terminal; NO_COLOR and FORCE_COLOR have the last word. */
export function paletteFor(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Palette {
  if (environment.NO_COLOR !== undefined && environment.NO_COLOR !== '') return PLAIN;
  if (environment.FORCE_COLOR !== undefined && environment.FORCE_COLOR !== '0') return COLOURS;
  return stream.isTTY === true && environment.TERM !== 'dumb' ? COLOURS : PLAIN;
}

export function columnsOf(stream: NodeJS.WriteStream): number {
  return stream.isTTY === true ? stream.columns : 80;
}

export function say(text: string): void {
  process.stderr.write(`${visibleLines(text)}\n`);
}
