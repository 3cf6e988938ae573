/** Characters as ranges of code points, both ends included. */
export type CodePoints = readonly (readonly [first: number, last: number])[];

const LAST = 0x10ffff;

export const DIGITS: CodePoints = [[0x30, 0x39]];

export const WORD_CHARACTERS: CodePoints = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

/** White space and line ends of ECMAScript, of which RE2 knows only some. */
export const WHITE_SPACE: CodePoints = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** What a dot does not match. */
export const LINE_ENDS: CodePoints = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** All other code points. The given ranges are in order and do not touch. */
export function othersThan(ranges: CodePoints): CodePoints {
  const others: [number, number][] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) others.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST) others.push([next, LAST]);
  return others;
}

export function rangeText(first: number, last: number): string {
  const start = `\\x{${first.toString(16)}}`;
  return first === last ? start : `${start}-\\x{${last.toString(16)}}`;
}

export function rangesText(ranges: CodePoints): string {
  return ranges.map(([first, last]) => rangeText(first, last)).join('');
}
