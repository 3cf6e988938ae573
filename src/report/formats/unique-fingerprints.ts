import { groupedBy } from '../../text/grouped-by.ts';
import type { FindingView } from '../view/judgement-view.ts';

/**
 * GitHub and GitLab merge findings with the same fingerprint, so these are numbered. The numbers follow the content of
 * the findings, not the order in which they were found.
 */
export function uniqueFingerprints(findings: readonly FindingView[]): ReadonlyMap<FindingView, string> {
  const keyOf = ({ id, where, message, expected, received }: FindingView): string => {
    const { step, function: name, case: oneCase, pointer, line } = where;
    return JSON.stringify([id, step, name, oneCase, pointer, line, message, expected, received]);
  };
  const numbered = [...groupedBy(findings, ({ fingerprint }) => fingerprint)].flatMap(
    ([fingerprint, group]) =>
      group
        .map((finding) => ({ finding, key: keyOf(finding) }))
        .toSorted((left, right) => (left.key < right.key ? -1 : Number(left.key > right.key)))
        .map(
          ({ finding }, index) =>
            [finding, index === 0 ? fingerprint : `${fingerprint}:${index + 1}`] as const,
        ),
  );
  return new Map(numbered);
}
