import type { Judgement, UndecidedCause } from '../model/judgement.ts';

/** Why a judgement is open: a requirement that it needs failed, or a cause; null if it is decided, or nothing says why. */
type Hindrance = 'failed' | UndecidedCause;
const GRAVEST_FIRST: readonly Hindrance[] = ['failed', 'cut-short', 'turned-away', 'not-exercised'];

export function gravest(all: readonly (Hindrance | null)[]): Hindrance | null {
  return GRAVEST_FIRST.find((one) => all.includes(one)) ?? null;
}

/** What is blocked has the cause of what blocks it, for the same subject, else for the server, else for all. */
export function hindrancesIn(
  byRequirement: ReadonlyMap<string, readonly Judgement[]>,
): (judgement: Judgement) => Hindrance | null {
  const known = new Map<string, Hindrance | null>();
  const ofRequirement = (requirement: string, subject: string | null): Hindrance | null => {
    const key = JSON.stringify([requirement, subject]);
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    // Where requirements block each other, nothing else says why.
    known.set(key, null);
    const all = byRequirement.get(requirement) ?? [];
    const of = (about: string | null): readonly Judgement[] => all.filter((one) => one.subject === about);
    const found =
      [of(subject), of(null), all]
        .map((some) => gravest(some.map(hindranceOf)))
        .find((one) => one !== null) ?? null;
    known.set(key, found);
    return found;
  };
  const hindranceOf = ({ finding, subject }: Judgement): Hindrance | null => {
    switch (finding.outcome) {
      case 'failed':
        return 'failed';
      case 'undecided':
        return finding.because;
      case 'blocked':
        return ofRequirement(finding.blockedBy, subject);
      default:
        return null;
    }
  };
  return hindranceOf;
}
