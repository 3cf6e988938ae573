import { type Json, ownProperty } from '../model/json.ts';
import { type Chosen, chosen, noneFits, type Picker } from './define-picker.ts';
import { noRecords, recordsIn } from './filter-values.ts';

interface LimitRule {
  readonly field: 'uptime' | 'responseTime';
  /** Smaller differences are ignored, because figures change and are rounded. */
  readonly minGap: number;
  /** A limit that excludes all records, for records with about the same figure. */
  readonly excludingAll: (figures: readonly number[]) => number | null;
}

const MIN_UPTIME_GAP = 0.5;
const MIN_TIME_GAP_MS = 4;
const PERCENT = 100;

export const uptimeLimits = limitsBy({
  field: 'uptime',
  minGap: MIN_UPTIME_GAP,
  excludingAll: (figures) => (Math.max(...figures) <= PERCENT - MIN_UPTIME_GAP ? PERCENT : null),
});

export const responseTimeLimits = limitsBy({
  field: 'responseTime',
  minGap: MIN_TIME_GAP_MS,
  excludingAll: (figures) => {
    const min = Math.min(...figures);
    return min >= 2 * MIN_TIME_GAP_MS ? Math.floor(min / 2) : null;
  },
});

/** The middle of the widest gap between the figures of the records: it separates them, and is far from both sides. */
function limitsBy({ field, minGap, excludingAll }: LimitRule): Picker {
  return (context): Chosen => {
    const figures = recordsIn(context)
      .map((record: Json) => ownProperty(record, field))
      .filter((value) => typeof value === 'number')
      .sort((left, right) => left - right);
    if (figures.length === 0) return noRecords();
    const gaps = figures.slice(1).map((figure, index) => ({ from: figures[index] ?? figure, to: figure }));
    const widest = gaps.reduce((best, gap) => (gap.to - gap.from > best.to - best.from ? gap : best), {
      from: 0,
      to: 0,
    });
    const limit = widest.to - widest.from >= minGap ? middleOf(widest) : excludingAll(figures);
    if (limit !== null) return chosen([limit]);
    return noneFits(
      `all records have about the same ${field}, so no limit separates them`,
      `records whose ${field} differs by at least ${minGap}`,
      `${figures.length} records from ${figures[0]} to ${figures.at(-1)}`,
      'Check a directory whose entries differ in this field.',
    );
  };
}

function middleOf({ from, to }: { readonly from: number; readonly to: number }): number {
  return Math.round(((from + to) / 2) * PERCENT) / PERCENT;
}
