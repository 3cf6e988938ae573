import { bucketsOf, type Histogram } from './histogram.ts';

const MAX_ROWS = 14;
const NO_SAMPLES = 'no samples';
const NARROWEST_BAR = 4;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

interface Row {
  /** The highest value that counts into the row. */
  readonly upToUs: number;
  readonly count: number;
}

export interface TextDistributionOptions {
  /** Columns; no line is longer. */
  readonly width: number;
  readonly unicode: boolean;
  /** Percentiles whose rows are marked: those that there are samples enough for. */
  readonly marked?: readonly number[];
}

/**
 * A picture of the distribution of latencies: a row for each part of a logarithmic scale, with its number of samples and
 * the percentage of samples that are not slower.
 */
export function textDistribution(
  histogram: Histogram,
  { width, unicode, marked = [50, 90, 99] }: TextDistributionOptions,
): readonly string[] {
  if (histogram.totalCount === 0) return width < NO_SAMPLES.length ? [] : [NO_SAMPLES];
  const rows = rowsOf(histogram);
  const labels = labelsOf(rows).map((label) => `${unicode ? '≤' : '<='} ${label} ms`);
  const shares = sharesOf(rows, histogram.totalCount);
  const marks = marksOf(histogram, rows, marked);
  const most = Math.max(...rows.map(({ count }) => count));
  const alignedNumbers = padded(rows.map(({ count }) => String(count)));
  const texts = padded(labels).map((label, index) => ({ label, number: alignedNumbers[index] ?? '' }));
  const tails = texts.map(({ number }, index) => {
    const mark = marks[index] === '' ? '' : `  ${unicode ? '◂' : '<'} ${marks[index]}`;
    return `${number}  ${shares[index]?.padStart(7)}${mark}`;
  });
  const barWidth = width - widest(labels) - widest(tails) - 4;
  if (barWidth >= NARROWEST_BAR) {
    return rows.map(({ count }, index) => {
      const bar = barOf(count / most, barWidth, unicode).padEnd(barWidth);
      return `${texts[index]?.label}  ${bar}  ${tails[index]}`;
    });
  }
  // Whole columns are left out where there is no room: a number that is cut off looks like another number.
  const narrower = [
    texts.map(({ label }, index) => `${label}  ${tails[index]}`),
    texts.map(({ label, number }) => `${label}  ${number}`),
    texts.map(({ label }) => label),
  ];
  return narrower.find((lines) => widest(lines) <= width) ?? [];
}

/**
 * Between the least and the greatest, each row as many times as high as the one before. Edges are those of buckets, so
 * that none is cut; there are fewer rows where the buckets are too few for all.
 */
function rowsOf(histogram: Histogram): readonly Row[] {
  const values = [...bucketsOf(histogram)];
  const minUs = Math.max(1, values[0]?.[0] ?? 1);
  const greatestUs = values.at(-1)?.[0] ?? 0;
  const edges = Array.from({ length: MAX_ROWS - 1 }, (_, row) => {
    const edgeUs = minUs * (greatestUs / minUs) ** ((row + 1) / MAX_ROWS);
    return histogram.highestEquivalentValue(Math.round(edgeUs));
  });
  const distinct = [...new Set([...edges.filter((edge) => edge < greatestUs), greatestUs])];
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

/** With as many decimals as all rows need to differ, and two digits of the least. */
function labelsOf(rows: readonly Row[]): readonly string[] {
  const minMs = (rows[0]?.upToUs ?? 0) / 1000;
  for (const decimals of [0, 1, 2]) {
    const labels = rows.map(({ upToUs }) => (upToUs / 1000).toFixed(decimals));
    if (minMs * 10 ** decimals >= 10 && new Set(labels).size === rows.length) return labels;
  }
  return rows.map(({ upToUs }) => (upToUs / 1000).toFixed(3));
}

/** A share is called 100 % only where nothing is left above it. */
function sharesOf(rows: readonly Row[], total: number): readonly string[] {
  let cumulative = 0;
  return rows.map(({ count }) => {
    cumulative += count;
    const percent = cumulative === total ? 100 : Math.min(99.99, (cumulative / total) * 100);
    return `${percent.toFixed(2)}%`;
  });
}

/** For each row, the percentiles that lie in it. */
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

/** A row with any sample has a visible bar: the few slowest are often what the reader looks for. */
function barOf(share: number, width: number, unicode: boolean): string {
  if (share === 0) return '';
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(share * width)));
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
