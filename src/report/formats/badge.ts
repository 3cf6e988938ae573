import type { TestResult } from '../../model/report.ts';
import type { RenderedFile } from '../target-entry.ts';
import { verdictMark, verdictWord } from '../view/words.ts';
import { xmlText } from './xml.ts';

/**
 * A badge as an image and as input for shields.io. Both name the day, because a badge may stay in use when it is old.
 */
export function renderBadge(result: TestResult): readonly RenderedFile[] {
  const message = messageOf(result);
  const colour = BADGE_COLOURS[verdictMark(result)];
  // https://shields.io/badges/endpoint-badge; `isError` prevents a page from overriding its colour.
  const endpoint = {
    schemaVersion: 1,
    label: LABEL,
    message,
    color: colour,
    labelColor: BADGE_COLOURS.label,
    ...(colour === BADGE_COLOURS.pass ? {} : { isError: true }),
  };
  return [
    { suffix: '.badge.svg', text: badgePicture({ label: LABEL, message, colour }) },
    { suffix: '.badge.json', text: `${JSON.stringify(endpoint, null, 2)}\n` },
  ];
}

const LABEL = 'probity';

function messageOf(result: TestResult): string {
  const { passed, failed, warnings, undecided, accepted = 0 } = result.summary;
  const applicable = passed + failed + warnings + undecided + accepted;
  const mark = verdictMark(result);
  const count =
    mark === 'measured' || mark === 'unreachable' || applicable === 0 ? '' : ` ${passed}/${applicable}`;
  const { coverage } = result;
  const wanted = coverage === undefined ? 0 : coverage.listed - coverage.excluded;
  const covered =
    coverage === undefined || count === '' || coverage.exercised === wanted
      ? ''
      : ` · ${coverage.exercised}/${wanted} functions`;
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(result.startedAt) ?? [];
  return `${verdictWord(result).toLowerCase()}${count}${covered}${day === undefined ? '' : ` · ${day}`}`;
}

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

interface Badge {
  readonly label: string;
  readonly message: string;
  readonly colour: string;
}

export function badgePicture({ label, message, colour }: Badge): string {
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
