import type { Exchange } from '../model/exchange.ts';
import { groupedBy } from '../model/grouped-by.ts';
import type { Judgement, Row } from '../model/judgement.ts';

/**
 * The rows with the time that the exchanges took from which each is decided. An exchange that decides several rows counts
 * for each of them. Pure.
 */
export function withDurations(
  rows: readonly Row[],
  judgements: readonly Judgement[],
  exchanges: readonly Exchange[],
): readonly Row[] {
  const durations = new Map(exchanges.map(({ request, timing }) => [request.key, timing.durationMs]));
  const byRequirement = groupedBy(judgements, ({ requirement }) => requirement);
  return rows.map((row) => {
    const keys = (byRequirement.get(row.id) ?? [])
      .filter(({ finding }) => finding.outcome !== 'blocked' && finding.outcome !== 'inapplicable')
      .flatMap(({ where }) => where.exchange ?? []);
    const known = [...new Set(keys)].flatMap((key) => durations.get(key) ?? []);
    if (known.length === 0) return row;
    const sumMs = known.reduce((sum, ms) => sum + ms, 0);
    // To microseconds, which also removes rounding errors of the sum.
    return { ...row, durationMs: Math.round(sumMs * 1000) / 1000 };
  });
}
