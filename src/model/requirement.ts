import type { Wire } from './wire.ts';

/** The two wire forms of the contract (specification, sections 2.5 and 2.6). */
export type Form = 'A' | 'B';
export type Level = 'MUST' | 'SHOULD' | 'MAY';
/** One level, or one per wire form. */
export type LevelByForm = Level | { readonly A: Level; readonly B: Level };
/** `error` fails the run; `info` occurs only in reports of earlier versions. */
export type Severity = 'error' | 'warning' | 'info';

/** A row of the registry: one statement about a target that the harness decides. */
export interface Requirement {
  readonly id: string;
  readonly level: LevelByForm;
  /** Section of the specification, or "-" for good practice that it does not spell out. */
  readonly spec: string;
  readonly text: string;
  /** What breaks for callers when the rule is broken. */
  readonly why: string;
  /** What the server's author should do. */
  readonly fix: Fix;
  /** Only servers of forms A and B, or only those of the Model Context Protocol, are judged by it. */
  readonly wire?: RuleWire | undefined;
  /** The first and the last revision of the protocol that it holds for, such as `2025-06-18`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export type RuleWire = 'rest' | 'mcp';

/** One text, or one per wire. */
export type Fix = string | { readonly rest: string; readonly mcp: string };

export function fixFor(fix: Fix, wire: RuleWire): string {
  return typeof fix === 'string' ? fix : fix[wire];
}

const STRICTNESS = { MUST: 2, SHOULD: 1, MAY: 0 } as const satisfies Record<Level, number>;

export function isAtLeast(level: Level, threshold: Level): boolean {
  return STRICTNESS[level] >= STRICTNESS[threshold];
}

/** If the form is unknown, the stricter level counts. */
export function levelFor(level: LevelByForm, form: Wire | null): Level {
  if (typeof level === 'string') return level;
  if (form !== null && form !== 'mcp') return level[form];
  return isAtLeast(level.A, level.B) ? level.A : level.B;
}

/** Of a finding in a run that fails from this level on. */
export function severityOf(level: Level, failOn: Level): Exclude<Severity, 'info'> {
  return isAtLeast(level, failOn) ? 'error' : 'warning';
}
