import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHistogram, encodeHistogram } from '../../src/latency/encoded-histogram.ts';
import { textDistribution } from '../../src/latency/text-distribution.ts';
import { histogramOf } from './histogram-of.ts';
import { seededNormals } from './seeded-numbers.ts';

function skewedUs(count: number): readonly number[] {
  const normals = seededNormals(31);
  return Array.from({ length: count }, () => 3000 * Math.exp(0.5 * normals()));
}

const drawn = (valuesUs: readonly number[], width: number): string =>
  `\n${textDistribution(histogramOf(valuesUs), { width }).join('\n')}\n`;

describe('the distribution', () => {
  test('of a skewed distribution', () => {
    expect(drawn(skewedUs(20_000), 72)).toMatchInlineSnapshot(`
      "
       ≤ 0.53 ms  ▏                                          4    0.02%
       ≤ 0.70 ms  ▎                                         29    0.17%
       ≤ 0.94 ms  █▍                                       163    0.98%
       ≤ 1.25 ms  █████▌                                   628    4.12%
       ≤ 1.66 ms  ██████████████▏                         1609   12.16%
       ≤ 2.20 ms  ███████████████████████████▏            3093   27.63%
       ≤ 2.92 ms  ████████████████████████████████████▉   4210   48.68%
       ≤ 3.89 ms  ██████████████████████████████████████  4334   70.35%  ◂ p50
       ≤ 5.17 ms  ████████████████████████████▉           3288   86.79%
       ≤ 6.87 ms  ███████████████▎                        1740   95.49%  ◂ p90
       ≤ 9.13 ms  █████▊                                   661   98.80%
      ≤ 12.13 ms  █▊                                       202   99.80%  ◂ p99
      ≤ 16.12 ms  ▎                                         34   99.98%
      ≤ 21.42 ms  ▏                                          5  100.00%
      "
    `);
  });

  test('with a few very slow samples', () => {
    expect(drawn([...skewedUs(20_000), 900_000, 905_000], 60)).toMatchInlineSnapshot(`
      "
        ≤ 0.69 ms  ▏                            28    0.14%
        ≤ 1.20 ms  ██                          659    3.43%
        ≤ 2.09 ms  ████████████▍              4109   23.98%
        ≤ 3.63 ms  █████████████████████████  8324   65.59%  ◂ p50
        ≤ 6.30 ms  ████████████████▉          5603   93.61%  ◂ p90
       ≤ 10.95 ms  ███▋                       1196   99.59%  ◂ p99
       ≤ 19.01 ms  ▎                            80   99.99%
       ≤ 33.02 ms  ▏                             1   99.99%
       ≤ 57.34 ms                                0   99.99%
       ≤ 99.58 ms                                0   99.99%
      ≤ 172.93 ms                                0   99.99%
      ≤ 300.29 ms                                0   99.99%
      ≤ 521.47 ms                                0   99.99%
      ≤ 905.22 ms  ▏                             2  100.00%
      "
    `);
  });

  test('of one value has one row', () => {
    expect(drawn([7, 7, 7], 60)).toMatchInlineSnapshot(`
      "
      ≤ 0.007 ms  █████████████████████  3  100.00%  ◂ p50 p90 p99
      "
    `);
    expect(drawn([0], 40)).toMatchInlineSnapshot(`
      "
      ≤ 0.000 ms  1  100.00%  ◂ p50 p90 p99
      "
    `);
    expect(drawn([3_000_000], 40)).toMatchInlineSnapshot(`
      "
      ≤ 3000 ms  1  100.00%  ◂ p50 p90 p99
      "
    `);
  });

  test('of a few microseconds has no rows between the values', () => {
    expect(drawn([0, 0, 1, 2, 4, 4], 60)).toMatchInlineSnapshot(`
      "
      ≤ 0.001 ms  █████████████████████████  3   50.00%  ◂ p50
      ≤ 0.002 ms  ████████▍                  1   66.67%
      ≤ 0.003 ms                             0   66.67%
      ≤ 0.004 ms  ████████████████▋          2  100.00%  ◂ p90 p99
      "
    `);
  });

  test('omits whole columns if there is no room', () => {
    expect(drawn([1, 2, 2], 40)).toMatchInlineSnapshot(`
      "
      ≤ 0.001 ms  1   33.33%
      ≤ 0.002 ms  2  100.00%  ◂ p50 p90 p99
      "
    `);
    expect(drawn([1, 2, 2], 16)).toMatchInlineSnapshot(`
      "
      ≤ 0.001 ms  1
      ≤ 0.002 ms  2
      "
    `);
    expect(drawn([1, 2, 2], 10)).toMatchInlineSnapshot(`
      "
      ≤ 0.001 ms
      ≤ 0.002 ms
      "
    `);
    expect(drawn([1, 2, 2], 9)).toMatchInlineSnapshot(`
      "

      "
    `);
  });

  test('of no samples says so', () => {
    expect(textDistribution(histogramOf([]), { width: 80 })).toEqual(['no samples']);
    expect(textDistribution(histogramOf([]), { width: 5 })).toEqual([]);
  });
});

test('the distribution fits its width, has every sample and marks each percentile once', () => {
  const latencyUs = fc.oneof(
    fc.integer({ min: 0, max: 3000 }),
    fc.double({ min: 0, max: 22, noNaN: true }).map(Math.exp),
  );
  fc.assert(
    fc.property(
      fc.array(latencyUs, { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 0, max: 130 }),
      (valuesUs, width) => {
        // Decoded, as for stored results.
        const histogram = decodeHistogram(encodeHistogram(histogramOf(valuesUs))) ?? histogramOf([]);
        const lines = textDistribution(histogram, { width });
        expect(lines.length).toBeLessThanOrEqual(14);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
        if (width < 70) return;
        const numbers = lines.map((line) => Number(/(\d+) {2,}[\d.]+%/.exec(line)?.[1]));
        expect(numbers.reduce((sum, number) => sum + number, 0)).toBe(valuesUs.length);
        expect(lines.at(-1)).toContain(' 100.00%');
        const marks = lines.flatMap((line) => line.match(/p\d+/g) ?? []);
        expect(marks).toEqual(['p50', 'p90', 'p99']);
      },
    ),
  );
});
