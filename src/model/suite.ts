import type { Json, JsonObject } from '../json/json.ts';
import type { BudgetedOperation } from './budget.ts';
import type { ExperimentName } from './generated/experiments.ts';
import type { Percentile } from './load.ts';
import type { RequestTemplate } from './request-template.ts';
import type { Form, LevelByTarget, RuleWire, WireText } from './requirement.ts';
import type { Channel, Era } from './wire.ts';

export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * What a suite checks: a server of either wire (what differs has a member for each), the platform API of a directory, or
 * what only a server of the Model Context Protocol has.
 */
export const TARGET_KINDS = ['server', 'directory', 'mcp'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** The kinds of suites that check a target. */
export const SUITES_FOR = {
  server: ['server'],
  directory: ['directory'],
  mcp: ['server', 'mcp'],
} as const satisfies Readonly<Record<TargetKind, readonly TargetKind[]>>;

/** Whether a suite checks targets of this kind. */
export function isFor(kind: TargetKind, { target }: Pick<Suite, 'target'>): boolean {
  return (SUITES_FOR[kind] as readonly TargetKind[]).includes(target);
}

/** A suite file, validated and with every name resolved. */
export interface Suite {
  readonly target: TargetKind;
  readonly id: string;
  readonly title: string;
  readonly file: string;
  /** SHA-256 of the file's text, as `sha256:…`. */
  readonly digest: string;
  readonly steps: readonly Step[];
}

/** One request, or a few, with what is expected of the answer. */
export interface Step {
  /** `suite/step`, unique among all loaded suites. */
  readonly id: string;
  readonly title: string;
  readonly where: SourceLocation;
  /** Null for a step of the ordinary phases, which follow from what it needs. */
  readonly phase: Phase | null;
  /** Null for a step that judges what other steps received. */
  readonly request: RequestTemplate | null;
  /** Code that makes the calls of the step, and others whose answers are compared with theirs. */
  readonly experiment: Experiment | null;
  /** Other steps whose exchanges this step judges. */
  readonly use: Use;
  /** Step ids that must have been answered as expected. */
  readonly needs: readonly string[];
  readonly when: Condition;
  readonly rounds: Rounds;
  readonly expect: readonly Assertion[];
  /** Values for later steps, by variable name. */
  readonly save: Readonly<Record<string, Save>>;
}

/**
 * The phases after the ordinary ones. `negative`: invalid or harmful requests, not sent with `readOnly`; `finally`: after
 * them, whatever happened; `last`: also after the experiments with generated inputs.
 */
export const PHASES = ['negative', 'finally', 'last'] as const;
export type Phase = (typeof PHASES)[number];

/** How often a step runs: for each item and each case, and how it repeats each request. */
export interface Rounds {
  readonly forEach: ForEach | null;
  readonly cases: readonly JsonObject[] | null;
  /** How many times each request is sent, one after the other. */
  readonly times: number;
  readonly apartMs: number;
  /** After how long it is sent once more before that, and no later if what compares the answers then passes; or null. */
  readonly soonerMs: number | null;
  /** Copies of each request at the same moment. */
  readonly copies: number;
  /** One call at a time; only experiments ask for it. */
  readonly alone: boolean;
}

/** What needs more than one request, with the name that suites give it: a file each in run/experiments. */
export interface Experiment {
  readonly name: ExperimentName;
  /** `timed-calls`: how many, or as the settings say; `burst`: at most how many. */
  readonly calls: number | 'default';
}

/** One other step, or all of them. */
export type UsedSteps = { readonly kind: 'step'; readonly id: string } | { readonly kind: 'every-step' };

/**
 * Without names, a step without a request judges the exchanges as its own. With names, its checks also see these
 * exchanges.
 */
export type Use =
  | { readonly kind: 'none' }
  | UsedSteps
  | { readonly kind: 'named'; readonly steps: Readonly<Record<string, UsedSteps>> };

function everyUse(use: Use): readonly UsedSteps[] {
  if (use.kind === 'none') return [];
  return use.kind === 'named' ? Object.values(use.steps) : [use];
}

/** The ids of the steps that are used individually. */
export function usedStepIds({ use }: Pick<Step, 'use'>): readonly string[] {
  return everyUse(use).flatMap((used) => (used.kind === 'step' ? [used.id] : []));
}

export function usesEveryStep({ use }: Pick<Step, 'use'>): boolean {
  return everyUse(use).some(({ kind }) => kind === 'every-step');
}

export interface Condition {
  readonly form: Form | null;
  readonly channel: Channel | null;
  /** Only for a server on this machine. */
  readonly address: 'loopback' | null;
  readonly era: Era | null;
  /** The first and the last revision of the protocol, such as `2025-06-18`. */
  readonly since: string | null;
  readonly until: string | null;
  /** A capability that the server must offer, such as `tools`. */
  readonly capability: string | null;
  /** JSONPath that must find something in the answer; for assertions only. */
  readonly present: string | null;
  /** What is said if it finds nothing. */
  readonly otherwise: string | null;
}

export interface ForEach {
  /** A reference such as `${functions}`. */
  readonly in: string;
  readonly as: string;
  readonly key: string;
  /** JSON Schema; only items that are valid against it. */
  readonly where: Json | null;
  /** Only items for which this step was answered as expected. */
  readonly succeeded: string | null;
  readonly first: number | null;
  /** Only functions of this kind, as far as known at that time; only experiments ask for it. */
  readonly functions: FunctionKind | null;
}

/**
 * `reads`: seems to change nothing; `unknown`: undecided; `harmless`: seems, or was observed, to change nothing, so
 * that it may be called often; `varying`: a harmless function that answered concurrent calls with the same input
 * differently; `creating`: creates something by its name; `mixing`: a creating function that answered one of two
 * concurrent calls with data of the other.
 */
export type FunctionKind =
  | 'reads'
  | 'unknown'
  | 'harmless'
  | 'varying'
  | 'explorable'
  | 'creating'
  | 'mixing';

/** A value for later steps. */
export type Save =
  | {
      readonly kind: 'found';
      readonly at: string;
      readonly many: boolean;
      /** Requirement that must pass for the value to be available, by the wire of the target. */
      readonly needs: Readonly<Record<RuleWire, string | null>>;
      /** Of the listed functions: the requirement to blame, by the reason why the form of none is known. */
      readonly blockedBy: Readonly<Record<string, string>>;
    }
  /** Code chooses it from the first answers of the step. */
  | { readonly kind: 'picked'; readonly picker: string };

/** The members of every assertion. */
export interface AssertionIdentity {
  /** A requirement of the registry, or `suite/id` of a user's assertion. */
  readonly requirement: string;
  readonly level: LevelByTarget;
  /** The text of the requirement in the registry; empty for a user's assertion. */
  readonly text: WireText;
  readonly where: SourceLocation;
  readonly why: string;
  readonly fix: WireText;
  /** Planned only for servers of this wire; absent: for both. */
  readonly wire?: RuleWire | undefined;
  readonly spec: string;
  readonly when: Condition;
  /** Requirement that must hold on the same answer. */
  readonly needs: string | null;
}

/** `result`: a result without isError; `refused`: an error, or a result with isError; `answered`: any of them. */
export const EXPECTED_OUTCOMES = ['result', 'refused', 'answered'] as const;
export type ExpectedOutcome = (typeof EXPECTED_OUTCOMES)[number];

export type StatusPattern = number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/** What is expected of the nodes that a selector finds. */
export type NodeExpectation =
  | { readonly kind: 'is' | 'each' | 'any' | 'none' | 'count'; readonly schema: Json }
  | { readonly kind: 'absent' };

export type Assertion = AssertionIdentity &
  (
    | { readonly kind: 'status'; readonly is: readonly StatusPattern[]; readonly not: null }
    | { readonly kind: 'status'; readonly is: null; readonly not: readonly StatusPattern[] }
    | { readonly kind: 'outcome'; readonly is: ExpectedOutcome }
    | {
        readonly kind: 'header';
        readonly name: string;
        readonly expectation: NodeExpectation;
        readonly message: string | null;
      }
    | {
        readonly kind: 'body';
        readonly at: string;
        readonly expectation: NodeExpectation;
        /** What is said if it fails; null: the place in the answer. */
        readonly message: string | null;
      }
    | {
        readonly kind: 'check';
        readonly check: string;
        readonly options: JsonObject;
        /** The requirement to blame, by the reason why the check cannot judge. */
        readonly blockedBy: Readonly<Record<string, string>>;
      }
    | { readonly kind: 'time'; readonly maxMs: number }
    | {
        readonly kind: 'budget';
        readonly of: null;
        readonly limitsMs: Readonly<Partial<Record<Percentile | 'max', number>>>;
      }
    /** The limits from the settings for this operation. */
    | { readonly kind: 'budget'; readonly of: BudgetedOperation }
  );

export type AssertionOf<Kind extends Assertion['kind']> = Extract<Assertion, { kind: Kind }>;
