import { anyFunction, objectWith, required, wholeFrom } from '../../model/arguments.ts';
import type { Kinds } from '../../model/kind.ts';

type Colour = 'good' | 'bad' | 'doubtful' | 'strong' | 'faint';
/** The colours of a report. Without colour every function returns its text unchanged. */
export type Palette = Readonly<Record<Colour, (text: string) => string>>;

const paint = required(anyFunction);

const PALETTE = objectWith<Palette>(
  'a palette: a function for each of good, bad, doubtful, strong and faint',
  { good: paint, bad: paint, doubtful: paint, strong: paint, faint: paint },
);

const plain = (text: string): string => text;
const sgr =
  (code: number) =>
  (text: string): string =>
    `\u001B[${code}m${text}\u001B[0m`;

export const PLAIN: Palette = { good: plain, bad: plain, doubtful: plain, strong: plain, faint: plain };
export const COLOURS: Palette = {
  good: sgr(32),
  bad: sgr(31),
  doubtful: sgr(33),
  strong: sgr(1),
  faint: sgr(2),
};

/** Plain text without colour at 80 columns, unless one of them is given. */
export interface Look {
  readonly palette?: Palette;
  readonly columns?: number;
}

export const LOOK = { palette: PALETTE, columns: wholeFrom(1) } satisfies Kinds<Look>;

export interface Layout {
  readonly palette: Palette;
  readonly width: number;
  /** Of the terminal; lines that are not wrapped are cut there. */
  readonly columns: number;
}

const MIN_WIDTH = 44;
const MAX_WIDTH = 100;

export function layoutOf({ palette = PLAIN, columns = 80 }: Look): Layout {
  return { palette, columns, width: Math.max(MIN_WIDTH, Math.min(columns, MAX_WIDTH)) };
}

/** The blocks that are not empty, separated by empty lines. */
export function inBlocks(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

export function indented(lines: readonly string[], blanks = 2): readonly string[] {
  return lines.map((line) => `${' '.repeat(blanks)}${line}`);
}
