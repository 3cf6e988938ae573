import { anyFunction, objectWith, required } from '../../model/arguments.ts';

/** The colours of a report. Without colour every function returns its text unchanged. */
export interface Palette {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly doubtful: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
}

const paint = required(anyFunction);

export const PALETTE = objectWith<Palette>(
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
