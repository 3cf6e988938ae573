import { bucketsOf, type Histogram } from './histogram.ts';

const MAX_ROWS = 14;
const NO_SAMPLES = 'no samples';
const MIN_BAR = 4;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

interface Row {
  readonly upToUs: number;
  readonly count: number;
}

export interface TextDistributionOptions {
  readonly width: number;
  /** Percentiles to mark; give only those with enough samples. */
  readonly marked?: readonly number[];
}

/**
 * Draws the distribution of latencies: a row for each part of a logarithmic scale, with its number of samples and the
 * percentage of samples that are not slower.
 */
export function textDistribution(
  histogram: Histogram,
  { width, marked = [50, 90, 99] }: TextDistributionOptions,
): readonly string[] {
  if (histogram.totalCount === 0) return width < NO_SAMPLES.length ? [] : [NO_SAMPLES];
  const rows = rowsOf(histogram);
  const labels = labelsOf(rows).map((label) => `≤ ${label} ms`);
  const shares = sharesOf(rows, histogram.totalCount);
  const marks = marksOf(histogram, rows, marked);
  const maxCount = Math.max(...rows.map(({ count }) => count));
  const alignedNumbers = padded(rows.map(({ count }) => String(count)));
  const texts = padded(labels).map((label, index) => ({ label, number: alignedNumbers[index] ?? '' }));
  const tails = texts.map(({ number }, index) => {
    const mark = marks[index] === '' ? '' : `  ◂ ${marks[index]}`;
    return `${number}  ${shares[index]?.padStart(7)}${mark}`;
  });
  const barWidth = width - widest(labels) - widest(tails) - 4;
  if (barWidth >= MIN_BAR) {
    return rows.map(({ count }, index) => {
      const bar = barOf(count / maxCount, barWidth).padEnd(barWidth);
      return `${texts[index]?.label}  ${bar}  ${tails[index]}`;
    });
  }
  // Omits whole columns if there is no room, because a truncated number looks like another number.
  const narrower = [
    texts.map(({ label }, index) => `${label}  ${tails[index]}`),
    texts.map(({ label, number }) => `${label}  ${number}`),
    texts.map(({ label }) => label),
  ];
  return narrower.find((lines) => widest(lines) <= width) ?? [];
}

/**
 * Rows of equal ratio between the lowest and the highest value. Their edges are those of buckets, so that no bucket is
 * split; with few buckets, there are fewer rows.
 */
function rowsOf(histogram: Histogram): readonly Row[] {
  const values = [...bucketsOf(histogram)];
  const minUs = Math.max(1, values[0]?.[0] ?? 1);
  const maxUs = values.at(-1)?.[0] ?? 0;
  const edges = Array.from({ length: MAX_ROWS - 1 }, (_, row) => {
    const edgeUs = minUs * (maxUs / minUs) ** ((row + 1) / MAX_ROWS);
    return histogram.highestEquivalentValue(Math.round(edgeUs));
  });
  const distinct = [...new Set([...edges.filter((edge) => edge < maxUs), maxUs])];
  let at = 0;
  return distinct.map((upToUs) => {
    let count = 0;
    for (let value = values[at]; value !== undefined && value[0] <= upToUs; value = values[at]) {
      count += value[1];
      at += 1;
    }
    return { upToUs, count };
  });
}

/** Uses enough decimals that all labels differ and the lowest has two digits. */
function labelsOf(rows: readonly Row[]): readonly string[] {
  const minMs = (rows[0]?.upToUs ?? 0) / 1000;
  for (const decimals of [0, 1, 2]) {
    const labels = rows.map(({ upToUs }) => (upToUs / 1000).toFixed(decimals));
    if (minMs * 10 ** decimals >= 10 && new Set(labels).size === rows.length) return labels;
  }
  return rows.map(({ upToUs }) => (upToUs / 1000).toFixed(3));
}

/** Shows 100 % only if no samples are above the row. */
function sharesOf(rows: readonly Row[], total: number): readonly string[] {
  let cumulative = 0;
  return rows.map(({ count }) => {
    cumulative += count;
    const percent = cumulative === total ? 100 : Math.min(99.99, (cumulative / total) * 100);
    return `${percent.toFixed(2)}%`;
  });
}

/** For each row, the names of the percentiles in it. */
function marksOf(histogram: Histogram, rows: readonly Row[], marked: readonly number[]): readonly string[] {
  const rowOf = (us: number): number => rows.findIndex(({ upToUs }) => us <= upToUs);
  const placed = marked.map((percent) => ({
    name: `p${percent}`,
    row: rowOf(histogram.getValueAtPercentile(percent)),
  }));
  return rows.map((_, row) =>
    placed
      .filter((mark) => mark.row === row)
      .map(({ name }) => name)
      .join(' '),
  );
}

/** Any non-empty row has a visible bar, because the few slowest calls are often of interest. */
function barOf(share: number, width: number): string {
  if (share === 0) return '';
  const eighths = Math.max(1, Math.round(share * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

function padded(texts: readonly string[]): readonly string[] {
  const columns = widest(texts);
  return texts.map((text) => text.padStart(columns));
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
