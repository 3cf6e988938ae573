import { wholeFrom } from '../../model/arguments.ts';
import type { Kinds } from '../../model/kind.ts';
import { PALETTE, type Palette, PLAIN } from './palette.ts';

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
