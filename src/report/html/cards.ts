import type { CauseView } from '../view/causes.ts';

export type Card = ReturnType<typeof cardsOf>[number];

/**
 * Each cause as a card. Anchors are unique in the page although a requirement may have several causes: a later card has
 * none. `isElsewhere`: another card has all findings of the requirement.
 */
export function cardsOf(causes: readonly CauseView[]) {
  const mains = new Set(causes.map(({ main }) => main.id));
  const anchored = new Set<string>();
  const complete = new Set<string>();
  const anchorFor = (id: string): string | undefined => {
    if (anchored.has(id)) return undefined;
    anchored.add(id);
    return anchorOf('fix', id);
  };
  return causes.map((cause) => ({
    cause,
    anchor: anchorFor(cause.main.id),
    others: cause.also.map((requirement) => {
      const { id } = requirement;
      const isElsewhere = complete.has(id);
      complete.add(id);
      return { requirement, anchor: mains.has(id) ? undefined : anchorFor(id), isElsewhere };
    }),
  }));
}

/** Ids of the product need no escaping in a fragment. Those of a user's suites may, and then the link does not work. */
export function anchorOf(of: 'fix' | 'row' | 'area', id: string): string {
  return `${of}-${id.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`;
}

export function exchangeAnchorOf(index: number): string {
  return `x-${index + 1}`;
}
