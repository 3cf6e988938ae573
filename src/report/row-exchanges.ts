import type { Exchange } from '../model/exchange.ts';
import { groupedBy } from '../model/grouped-by.ts';
import type { Judgement, Row } from '../model/judgement.ts';

/**
 * The rows with the first of the exchanges from which each is decided, their number, and the time that they took. An
 * exchange that decides several rows counts for each of them. Pure.
 */
export function withExchanges(
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
    const known = [...new Set(keys)].filter((key) => durations.has(key));
    const [exchange] = known;
    if (exchange === undefined) return row;
    const sumMs = known.reduce((sum, key) => sum + (durations.get(key) ?? 0), 0);
    return {
      ...row,
      // To microseconds, which also removes rounding errors of the sum.
      durationMs: Math.round(sumMs * 1000) / 1000,
      decidedBy: { exchange, count: known.length },
    };
  });
}
