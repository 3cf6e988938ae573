import type { ListingDecision, ListingJudgement } from 'probity/model';
import type { Doubt } from '../db/tables.ts';
import { earlyTestAt, type Pace, pauseMs } from '../jobs/test-pace.ts';

/** What the checks decided about an entry so far. */
export interface Standing {
  readonly decision: ListingDecision;
  readonly doubt: Doubt | null;
  /** Planned tests in a row that came before their usual time. */
  readonly earlyTests: number;
  /** The last planned test; null: there was none. */
  readonly testedAt: Date | null;
  /** The last test that decided anything; null: there was none. */
  readonly decidedAt: Date | null;
}

/** What a test saw. */
export interface Look {
  readonly at: Date;
  /** Null: it shows nothing of the contract, because the directory failed, nothing answered, or the server wants a key. */
  readonly judgement: ListingJudgement | null;
  /** Why the judgement is bad, in a sentence. */
  readonly reason: string;
  /** Not requested by a caller, who could choose a time at which a good server looks bad. */
  readonly isPlanned: boolean;
  /** The server was away for a part of the test. */
  readonly sawOutage: boolean;
  /** Another test would see the same, because the directory itself decides it. */
  readonly isCertain: boolean;
}

/** What follows from a test. */
export interface Consequence extends Omit<Standing, 'decision'> {
  /** What is decided now; null: the decision stays. */
  readonly decided: ListingDecision | null;
  /** The next test is no later than this. */
  readonly nextTestBy: Date;
  /** A good probe makes a test due: this one decided nothing, or is to be repeated. */
  readonly isOpen: boolean;
}

const RANK: Readonly<Record<ListingDecision, number>> = { reject: 0, hold: 1, list: 2 };

/**
 * Decides about an entry after a test, in this one place.
 *
 * Only a planned test decides. What is better than before holds at once; what is worse needs a second look, and more of
 * them if the server was away during the tests: it may have been restarted, but one that crashes must not stay for ever.
 * Pure.
 */
export function decide(standing: Standing, look: Look, pace: Pace): Consequence {
  const { at, judgement } = look;
  if (!look.isPlanned) {
    const isAsDecided =
      judgement === null || (judgement.decision === standing.decision && standing.decidedAt !== null);
    const nextTestBy = isAsDecided ? later(at, pace.testEveryMs) : earlyTestAt(standing, at, pace);
    return { ...standing, decided: null, nextTestBy, isOpen: false };
  }
  const earlyTests = isEarly(standing, at, pace) ? standing.earlyTests + 1 : 0;
  const after = { ...standing, earlyTests, testedAt: at };
  const again = later(at, pauseMs(earlyTests, pace));
  if (judgement === null) return { ...after, decided: null, nextTestBy: again, isOpen: true };
  const isFirst = standing.decidedAt === null && standing.decision !== 'list';
  const isBetter = RANK[judgement.decision] >= RANK[standing.decision];
  if (isBetter || look.isCertain || (isFirst && !look.sawOutage))
    return {
      ...after,
      ...{ decided: judgement.decision, doubt: null, decidedAt: at },
      ...{ nextTestBy: later(at, pace.testEveryMs), isOpen: false },
    };
  const doubt = withLook(standing.doubt, look, judgement.decision);
  if (!isConfirmed(doubt)) return { ...after, decided: null, doubt, nextTestBy: again, isOpen: true };
  // The looks agree on the milder one. What only the last of them saw needs further looks.
  const isWorse = RANK[judgement.decision] < RANK[doubt.decision];
  return {
    ...after,
    ...{ decided: doubt.decision, decidedAt: at },
    doubt: isWorse ? withLook(null, look, judgement.decision) : null,
    ...{ nextTestBy: isWorse ? again : later(at, pace.testEveryMs), isOpen: isWorse },
  };
}

/** The finding of a bad judgement, for the doubt: its first failed or undecided requirement. Pure. */
export function reasonOf({ rows }: ListingJudgement): string {
  for (const kind of ['missing', 'undecided'] as const)
    for (const { level, evidence } of rows)
      for (const one of evidence) if (level === 'MUST' && one.kind === kind) return one.text;
  return 'the listing requirements are not met';
}

/** Tests count as early up to half of the usual time, so that jitter does not matter. */
function isEarly({ testedAt }: Standing, at: Date, { testEveryMs }: Pace): boolean {
  if (testedAt === null) return false;
  const sinceMs = at.getTime() - testedAt.getTime();
  return sinceMs >= 0 && sinceMs < testEveryMs / 2;
}

const STEADY_LOOKS = 2;
/** A look during an outage counts for half of another one. */
const OUTAGE_WEIGHT = 0.5;

function withLook(doubt: Doubt | null, { at, reason, sawOutage }: Look, decision: ListingDecision): Doubt {
  const worse = decision === 'list' ? 'hold' : decision;
  const before = doubt ?? { decision: worse, looks: 0, outages: 0 };
  return {
    at: at.toISOString(),
    decision: RANK[before.decision] > RANK[worse] ? before.decision : worse,
    reason,
    looks: before.looks + 1,
    outages: before.outages + (sawOutage ? 1 : 0),
  };
}

function isConfirmed({ looks, outages }: Doubt): boolean {
  return looks - outages + OUTAGE_WEIGHT * outages >= STEADY_LOOKS;
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
