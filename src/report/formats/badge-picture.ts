import { xmlText } from './xml.ts';

/** White text has a contrast of at least 4.5 to 1 on each of these. */
export const BADGE_COLOURS = {
  label: '#444444',
  pass: '#2e7d32',
  fail: '#b3261e',
  incomplete: '#8a5a00',
  unreachable: '#57606a',
  measured: '#1f5fa8',
} as const;

const HEIGHT = 20;
const PADDING = 6;

/** A label and a message, as SVG. Pure. */
export function badgePicture({
  label,
  message,
  colour,
}: {
  readonly label: string;
  readonly message: string;
  readonly colour: string;
}): string {
  const labelWidth = Math.round(widthOf(label)) + 2 * PADDING;
  const messageWidth = Math.round(widthOf(message)) + 2 * PADDING;
  const width = labelWidth + messageWidth;
  const title = `${label}: ${message}`;
  const rectangle = (x: number, own: number, fill: string) => ({
    '@_x': x,
    '@_width': own,
    '@_height': HEIGHT,
    '@_fill': fill,
  });
  const words = [
    { text: label, x: labelWidth / 2, width: labelWidth - 2 * PADDING },
    { text: message, x: labelWidth + messageWidth / 2, width: messageWidth - 2 * PADDING },
  ];
  const line = (y: number, more: Readonly<Record<string, string>>) =>
    words.map(({ text, x, width: textLength }) => ({
      ...more,
      '@_x': x,
      '@_y': y,
      '@_textLength': textLength,
      '#text': text,
    }));
  return xmlText({
    svg: {
      '@_xmlns': 'http://www.w3.org/2000/svg',
      '@_width': width,
      '@_height': HEIGHT,
      '@_role': 'img',
      '@_aria-label': title,
      title,
      clipPath: { '@_id': 'r', rect: { ...rectangle(0, width, '#fff'), '@_rx': 3 } },
      g: [
        {
          '@_clip-path': 'url(#r)',
          rect: [rectangle(0, labelWidth, BADGE_COLOURS.label), rectangle(labelWidth, messageWidth, colour)],
        },
        {
          '@_fill': '#fff',
          '@_text-anchor': 'middle',
          '@_font-family': 'Verdana,Geneva,DejaVu Sans,sans-serif',
          '@_font-size': FONT_SIZE,
          text: [
            ...line(15, { '@_aria-hidden': 'true', '@_fill': '#010101', '@_fill-opacity': '.3' }),
            ...line(14, {}),
          ],
        },
      ],
    },
  });
}

const FONT_SIZE = 11;
const UNITS_PER_EM = 2048;
const DIGIT_UNITS = 1302;

/** Advance widths of Verdana; a digit is wider than most other characters. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ ' ': 720, '-': 930, '/': 930, '·': 744, a: 1230, b: 1276, c: 1067, d: 1276, e: 1220, f: 720, h: 1296 },
  ...{ '%': 2204, '.': 745, C: 1430, M: 1726, P: 1235, g: 1276, j: 705, k: 1212, v: 1212, w: 1676 },
  ...{ i: 562, l: 562, m: 1992, n: 1296, o: 1243, p: 1276, r: 874, s: 1067, t: 807, u: 1296, y: 1212 },
};

function widthOf(text: string): number {
  const units = text.split('').reduce((sum, character) => sum + (UNITS[character] ?? DIGIT_UNITS), 0);
  return (units * FONT_SIZE) / UNITS_PER_EM;
}
