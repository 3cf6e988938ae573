import type { GivenPolicy } from 'probity/service';

/** What an operator decides once for all entries. The file of `--policy` contains it; docs/policy.md describes it. */
export interface Policy {
  /** Findings of this level and above keep a server from being listed. */
  readonly rejectOn: 'must' | 'should';
  /** Of the listed functions, the percentage that must give a result; with less, a server is undecided. */
  readonly minimumCoverage: number;
  /** Whether only audited servers are listed. */
  readonly requireAudit: boolean;
  /** Whether a second entry with the same endpoint is accepted, and shown to the operator. */
  readonly duplicates: 'show' | 'refuse';
  /** An entry whose contract changes in such a way is on hold until the operator releases it. */
  readonly holdOn: readonly HoldingChange[];
  /** Within these bounds an author sets how often the server is probed and tested. */
  readonly pace: {
    readonly probeSeconds: Bounds;
    readonly testSeconds: Bounds;
    /** Whether an author can refuse tests; such a server is listed only if the operator approves it. */
    readonly mayRefuseTests: boolean;
  };
  /** Who runs the directory, on each page. */
  readonly operator: {
    readonly name: string | null;
    /** An address of a page or of mail. */
    readonly contact: string | null;
    /** The address of the rules of the directory. */
    readonly rules: string | null;
  };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Changes of a contract on which an entry can be put on hold. */
export const HOLDING_CHANGES = ['breaking', 'suspicious'] as const;
export type HoldingChange = (typeof HOLDING_CHANGES)[number];

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

export const DEFAULT_POLICY: Policy = {
  rejectOn: 'must',
  minimumCoverage: 0,
  requireAudit: false,
  duplicates: 'show',
  holdOn: [],
  pace: {
    probeSeconds: { min: 60, max: HOUR_S },
    testSeconds: { min: HOUR_S, max: 7 * DAY_S },
    mayRefuseTests: true,
  },
  operator: { name: null, contact: null, rules: null },
};

/** A policy of which some keys are given; the others have their defaults. */
export function policyWith({ pace, operator, ...given }: GivenPolicy): Policy {
  return {
    ...DEFAULT_POLICY,
    ...given,
    pace: { ...DEFAULT_POLICY.pace, ...pace },
    operator: { ...DEFAULT_POLICY.operator, ...operator },
  };
}

/** What a file says for a policy: keys without a value are left out. */
export function givenOf({ operator, ...policy }: Policy): GivenPolicy {
  const known = Object.entries(operator).filter(([, value]) => value !== null);
  return { ...policy, operator: Object.fromEntries(known) };
}
