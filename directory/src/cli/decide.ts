import { say, UsageError } from 'probity/command-line';
import type { ListingDecision } from 'probity/model';
import { readDecision } from '../entries/given-decision.ts';
import { type DecisionName, decideAsOperator } from '../entries/operator-decisions.ts';
import { type AuthorFlags, authorOf } from './author.ts';
import { requireKnown } from './known-entry.ts';
import { commandFor, type StoreFlags, withStore } from './store-flags.ts';

interface DecideFlags extends StoreFlags, AuthorFlags {
  readonly reason: string;
  readonly publicReason?: string;
  /** A time, or a duration. */
  readonly until?: string;
}

/** Stores what an operator decides about an entry, with who, when and why. */
export async function decide(action: DecisionName, id: string, flags: DecideFlags): Promise<void> {
  const { reason, publicReason, until } = flags;
  const decision = {
    ...readDecision({ action, reason, publicReason, until }),
    operator: authorOf(flags),
  };
  const after = await withStore(flags, async ({ db }) => {
    await requireKnown(db, id, flags);
    return decideAsOperator(db, id, decision);
  });
  if (after === null) throw new UsageError(`The server "${id}" was removed meanwhile.`);
  const { decision: shown, hasEffect } = after;
  say(
    hasEffect
      ? `${id} ${saidOf(action, shown, decision.until ?? null)}${undone(action, id, flags)}`
      : `${id} ${NO_EFFECT[action === 'resume' ? 'resume' : 'release']} Nothing was changed.`,
  );
}

const NO_EFFECT = {
  resume: 'is not paused.',
  release: 'is decided by the checks already: no operator approved, held or rejected it.',
} as const;

const SHOWN = { list: 'is listed', hold: 'is on hold', reject: 'is rejected' } as const;

function saidOf(action: DecisionName, after: ListingDecision, until: Date | null): string {
  switch (action) {
    case 'release':
      return `${SHOWN[after]}, as its last test decided. A running service tests it now.`;
    case 'pause':
      return `is neither probed nor tested${until === null ? '' : ` until ${until.toISOString()}`}.`;
    case 'resume':
      return 'is probed and tested again.';
    case 'approve':
      return after === 'list'
        ? `${SHOWN.list}, whatever the checks decide.`
        : 'is approved, and is listed as soon as a probe has measured its figures.';
    default:
      return `${SHOWN[after]}, whatever the checks decide.`;
  }
}

const OPPOSITES = {
  approve: 'release',
  hold: 'release',
  reject: 'release',
  pause: 'resume',
  release: null,
  resume: null,
} as const;

function undone(action: DecisionName, id: string, flags: StoreFlags): string {
  const opposite = OPPOSITES[action];
  return opposite === null
    ? ''
    : ` Undo it with: ${commandFor(`${opposite} ${id} --reason 'no longer needed'`, flags)}`;
}
