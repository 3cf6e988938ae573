import type { BudgetedOperation } from './budget.ts';
import type { Json, JsonObject } from './json.ts';
import type { Percentile } from './percentile.ts';
import type { Form, LevelByForm } from './requirement.ts';

export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What a suite asks: an MCP server, or the platform API of a directory. */
export const TARGET_KINDS = ['server', 'directory'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** A suite file, checked and with every name resolved. */
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
  /** Null for a step that judges what other steps received. */
  readonly request: RequestTemplate | null;
  /** Other steps whose exchanges this step judges. */
  readonly use: Use;
  /** Step ids that must have been answered as expected. */
  readonly needs: readonly string[];
  readonly when: Condition;
  readonly forEach: ForEach | null;
  readonly cases: readonly JsonObject[] | null;
  readonly repeat: { readonly times: number; readonly apartMs: number };
  /** Copies of the request sent at the same moment. */
  readonly parallel: number;
  /** Its requests follow one another. */
  readonly alone: boolean;
  /** Timed calls of the request, besides the one that shows that it is answered; `default`: as many as the settings say. */
  readonly sample: number | 'default';
  readonly retry: Retry | null;
  /** Sends what no client should: runs after the steps that do not, and is left out of reading runs. */
  readonly negative: boolean;
  /** Runs after every other step, whatever happened before. */
  readonly finally: boolean;
  readonly expect: readonly Assertion[];
  /** How often at most to send the request until the target says that it is too often; 0 for a step that does not. */
  readonly burst: number;
  readonly save: Readonly<Record<string, Save>>;
  /** Values for later steps that code chooses from the answers: name to picker. */
  readonly choose: Readonly<Record<string, string>>;
}

/** One other step, or all of them. */
export type UsedSteps = { readonly kind: 'step'; readonly id: string } | { readonly kind: 'every-step' };

/** Without names, by a step that sends nothing, exchanges are judged as its own; by name, checks see them besides. */
export type Use =
  | { readonly kind: 'none' }
  | UsedSteps
  | { readonly kind: 'named'; readonly steps: Readonly<Record<string, UsedSteps>> };

function everyUse(use: Use): readonly UsedSteps[] {
  if (use.kind === 'none') return [];
  return use.kind === 'named' ? Object.values(use.steps) : [use];
}

/** The ids of the steps that are used one by one. */
export function usedStepIds({ use }: Pick<Step, 'use'>): readonly string[] {
  return everyUse(use).flatMap((used) => (used.kind === 'step' ? [used.id] : []));
}

export function usesEveryStep({ use }: Pick<Step, 'use'>): boolean {
  return everyUse(use).some(({ kind }) => kind === 'every-step');
}

/** How a request is sent, whatever it asks. */
export interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly abort: Abort | null;
  /** Without the headers that the user gave; only when there are any. */
  readonly anonymous: boolean;
  /** Over one connection with the other requests of the step, for as long as the target keeps it open. */
  readonly keepConnection: boolean;
  /** The bearer token that the user gave, under this scheme in place of Bearer; only when one was given. */
  readonly scheme: string | null;
  /** Wait so long for the answer at least, whatever the settings say. */
  readonly timeoutMs: number | null;
}

export type RequestTemplate = Sending &
  (
    | {
        readonly kind: 'get';
        readonly path: string;
        readonly query: QueryTemplate | null;
        /** Another base address than the target's; the headers that the user gave are not sent there. */
        readonly from: string | null;
      }
    | { readonly kind: 'post'; readonly path: string; readonly body: BodyTemplate }
    | {
        readonly kind: 'execute';
        readonly function: string;
        /** Only when no listed function is called so. */
        readonly unlisted: boolean;
        readonly arguments: ArgumentsTemplate;
        readonly requestId: string;
      }
    /** A handshake to change to WebSocket; only when the listing says that the target speaks it. */
    | { readonly kind: 'websocket'; readonly path: string }
  );

/** Parameters of a query by name, each once or several times, or a reference to such a mapping. */
export type QueryTemplate = string | JsonObject;

export interface Abort {
  readonly afterBytes: number;
}

export type BodyTemplate =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'raw'; readonly parts: readonly RawPart[] };

/** Bytes of a body that need not be JSON: text, base64, or a value written as JSON, so many times. */
export type RawPart = { readonly times: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly base64: string }
  | { readonly kind: 'json'; readonly value: Json }
);

/** How the input of an /execute call is made; see the suite language for each. */
export const NAMED_ARGUMENTS = [
  'sample',
  'distinct',
  'failing',
  'omitted',
  'missing-required',
  'wrong-type',
] as const;
export type NamedArguments = (typeof NAMED_ARGUMENTS)[number];
export type ArgumentsTemplate =
  | { readonly kind: NamedArguments }
  | { readonly kind: 'given'; readonly value: Json };

export interface Condition {
  readonly form: Form | null;
  /** JSONPath that must find something in the answer; for assertions only. */
  readonly present: string | null;
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
  /** Only functions of this kind, as far as is known of them by then. */
  readonly functions: FunctionKind | null;
}

/**
 * `reads`: it seems to change nothing; `unknown`: nothing tells whether it does; `harmless`: it seems to change nothing,
 * or was seen to change nothing, so that it may be called often; `wavering`: one of these that answered the same input
 * differently among several calls at the same moment.
 */
export const FUNCTION_KINDS = ['reads', 'unknown', 'harmless', 'wavering'] as const;
export type FunctionKind = (typeof FUNCTION_KINDS)[number];

export interface Retry {
  readonly attempts: number;
  readonly waitMs: number;
  readonly on: readonly (number | 'unanswered')[];
}

export interface Save {
  readonly at: string;
  readonly many: boolean;
  /** Requirement without which the value cannot be had. */
  readonly needs: string | null;
}

/** What every assertion carries. */
export interface AssertionIdentity {
  /** A requirement of the registry, or `suite/id` of a user's own. */
  readonly requirement: string;
  readonly level: LevelByForm;
  /** The registry's statement of what must be so; empty for a rule of a user's own. */
  readonly text: string;
  readonly where: SourceLocation;
  readonly why: string;
  readonly fix: string;
  readonly spec: string;
  readonly when: Condition;
  /** Requirement that must hold on the same answer. */
  readonly needs: string | null;
}

export type StatusPattern = number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/** What is asked of the nodes that a selector finds. */
export type NodeExpectation =
  | { readonly kind: 'is' | 'each' | 'any' | 'none' | 'count'; readonly schema: Json }
  | { readonly kind: 'absent' };

export type Assertion = AssertionIdentity &
  (
    | { readonly kind: 'status'; readonly is: readonly StatusPattern[]; readonly not: null }
    | { readonly kind: 'status'; readonly is: null; readonly not: readonly StatusPattern[] }
    | { readonly kind: 'header'; readonly name: string; readonly expectation: NodeExpectation }
    | { readonly kind: 'body'; readonly at: string; readonly expectation: NodeExpectation }
    | {
        readonly kind: 'check';
        readonly check: string;
        readonly options: JsonObject;
        /** The requirement that is to blame, by the reason for which the check cannot judge. */
        readonly blockedBy: Readonly<Record<string, string>>;
      }
    | { readonly kind: 'time'; readonly maxMs: number }
    | {
        readonly kind: 'budget';
        readonly of: null;
        readonly limitsMs: Readonly<Partial<Record<Percentile | 'max', number>>>;
      }
    /** As the settings say for this operation. */
    | { readonly kind: 'budget'; readonly of: BudgetedOperation }
  );

export type AssertionOf<Kind extends Assertion['kind']> = Extract<Assertion, { kind: Kind }>;
