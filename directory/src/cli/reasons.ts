import { type ListingDecision, type ListingRow, visible } from 'probity/model';

/**
 * Why an entry is not listed, a line for each reason: what failed, with its remedy, and for one on hold also what is
 * undecided. Pure.
 */
export function reasonsOf(decision: ListingDecision, rows: readonly ListingRow[]): readonly string[] {
  if (decision === 'list') return [];
  return rows.flatMap(({ requirement, level, outcome, evidence }) => {
    if (level === 'MAY' || outcome === 'passed') return [];
    const wanted = outcome === 'failed' ? 'missing' : 'undecided';
    return evidence.flatMap((one) =>
      one.kind === wanted ? [`${requirement} ${outcome}: ${visible(one.text)}. ${visible(one.remedy)}`] : [],
    );
  });
}
