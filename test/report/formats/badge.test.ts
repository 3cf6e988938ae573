import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { renderBadge } from '../../../src/report/formats/badge.ts';
import { BENCH, CELLS, PASSING, UNREACHABLE, WHOLE } from './cells.ts';
import { validateShields } from './read-json.ts';
import { parseXml, type XmlElement } from './read-xml.ts';

interface Badge {
  readonly message: string;
  readonly color: string;
  readonly labelColor: string;
  readonly isError?: boolean;
}

function badgeOf(result: TestResult): { readonly svg: XmlElement; readonly json: Badge } {
  const [svg, json] = renderBadge(result);
  expect([svg?.suffix, json?.suffix]).toEqual(['.badge.svg', '.badge.json']);
  return { svg: parseXml(svg?.text ?? ''), json: JSON.parse(json?.text ?? '') as Badge };
}

function elementsOf(element: XmlElement): readonly XmlElement[] {
  return [element, ...element.children.flatMap(elementsOf)];
}

/** The contrast of white text according to WCAG 2. */
function contrastWithWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

const GREEN = badgeOf(PASSING).json.color;

describe('a result as a badge', () => {
  test.each([
    ['pass', PASSING, 'pass 2/2 · 2026-01-31'],
    ['fail', WHOLE, 'fail 3/18 · 4/6 functions · 2026-01-31'],
    [
      'incomplete',
      CELLS.find(({ kind }) => kind === 'blocked')?.result ?? WHOLE,
      'incomplete 0/1 · 2026-01-31',
    ],
    ['unreachable', UNREACHABLE, 'unreachable · 2026-01-31'],
    ['a load', BENCH, 'measured · 2026-01-31'],
  ])('shows the verdict and the day: %s', (_, result, message) => {
    const { svg, json } = badgeOf(result);
    expect(json.message).toBe(message);
    expect(validateShields(json), JSON.stringify(validateShields.errors)).toBe(true);
    expect(svg.children[0]).toMatchObject({ name: 'title', text: `probity: ${message}` });
    expect(svg.attributes).toMatchObject({ role: 'img', 'aria-label': `probity: ${message}` });
    const shown = elementsOf(svg).filter(
      ({ name, attributes }) => name === 'text' && !attributes['aria-hidden'],
    );
    expect(shown.map(({ text }) => text)).toEqual(['probity', message]);
  });

  test('is green only for a pass', () => {
    const results = [...CELLS.map(({ result }) => result), WHOLE, UNREACHABLE, BENCH, PASSING];
    for (const result of results) {
      const { svg, json } = badgeOf(result);
      const isPass = result.verdict === 'pass' && result.reachable;
      expect(json.color === GREEN).toBe(isPass);
      expect(json.isError ?? false).toBe(!isPass);
      expect(elementsOf(svg).some(({ attributes }) => attributes.fill === GREEN)).toBe(isPass);
    }
    expect(badgeOf({ ...PASSING, reachable: false }).json.color).not.toBe(GREEN);
  });

  test('has a contrast of at least 4.5 for white text on each colour', () => {
    for (const result of [PASSING, WHOLE, UNREACHABLE, BENCH, CELLS.at(-1)?.result ?? WHOLE]) {
      const { json } = badgeOf(result);
      expect(contrastWithWhite(json.color)).toBeGreaterThanOrEqual(4.5);
      expect(contrastWithWhite(json.labelColor)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('is as wide as its words', () => {
    const widthOf = (result: TestResult): number => Number(badgeOf(result).svg.attributes.width);
    expect(widthOf(UNREACHABLE)).toBeGreaterThan(widthOf(BENCH));
    const { svg } = badgeOf(PASSING);
    const [label, message] = elementsOf(svg).filter(
      ({ name, attributes }) => name === 'rect' && !attributes.rx,
    );
    expect(Number(label?.attributes.width) + Number(message?.attributes.width)).toBe(
      Number(svg.attributes.width),
    );
    expect(message?.attributes.x).toBe(label?.attributes.width);
  });
});
