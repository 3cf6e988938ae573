import type { Wire } from './wire.ts';

/** The two wire forms of the contract (specification, sections 2.5 and 2.6). */
export type Form = 'A' | 'B';
export type Level = 'MUST' | 'SHOULD' | 'MAY';
/** One level, one per wire form, or one for servers on this machine and one for all others. */
export type LevelByTarget =
  | Level
  | { readonly A: Level; readonly B: Level }
  | { readonly loopback: Level; readonly elsewhere: Level };
/** `error` fails the run; `info` occurs only in reports of earlier versions. */
export type Severity = 'error' | 'warning' | 'info';

/** A row of the registry: one statement about a target that the harness decides. */
export interface Requirement {
  readonly id: string;
  readonly level: LevelByTarget;
  /** Section of the specification, or "-" for good practice that it does not spell out. */
  readonly spec: string;
  readonly text: WireText;
  /** What breaks for callers when the rule is broken. */
  readonly why: string;
  readonly fix: WireText;
  /** Only servers of forms A and B, or only those of the Model Context Protocol, are judged by it. */
  readonly wire?: RuleWire | undefined;
  /** The first and the last revision of the protocol that it holds for, such as `2025-06-18`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Planned only over one channel, or with a token that only some users have: a complete test need not decide it. */
  readonly extra?: true | undefined;
}

export type RuleWire = 'rest' | 'mcp';

/** One text, or one per wire. */
export type WireText = string | { readonly rest: string; readonly mcp: string };

export function textFor(text: WireText, wire: RuleWire): string {
  return typeof text === 'string' ? text : text[wire];
}

const STRICTNESS = { MUST: 2, SHOULD: 1, MAY: 0 } as const satisfies Record<Level, number>;

export function isAtLeast(level: Level, threshold: Level): boolean {
  return STRICTNESS[level] >= STRICTNESS[threshold];
}

export function levelWords(level: LevelByTarget): string {
  if (typeof level === 'string') return level;
  return 'A' in level
    ? `${level.A} in form A, ${level.B} in form B`
    : `${level.loopback} on a loopback address, ${level.elsewhere} elsewhere`;
}

/** If the form or the address is unknown, the stricter level counts. */
export function levelFor(level: LevelByTarget, form: Wire | null): Level {
  if (typeof level === 'string') return level;
  if ('loopback' in level) return stricter(level.loopback, level.elsewhere);
  if (form !== null && form !== 'mcp') return level[form];
  return stricter(level.A, level.B);
}

function stricter(one: Level, other: Level): Level {
  return isAtLeast(one, other) ? one : other;
}

/** Of a finding in a run that fails from this level on. */
export function severityOf(level: Level, failOn: Level): Exclude<Severity, 'info'> {
  return isAtLeast(level, failOn) ? 'error' : 'warning';
}

/** The part of the contract to which a requirement belongs, such as `health`. */
export function areaOf(id: string): string {
  return id.split('/', 1)[0] ?? id;
}
