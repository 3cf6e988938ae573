import type { Form } from '../../src/model/requirement.ts';

export type Members = Record<string, unknown>;

/** A function as its author describes and writes it, once for both wire forms. */
export interface NaturalFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: Members;
  readonly returns: Members;
  readonly examples?: readonly Members[];
  /** Returns the named results. Throws `Refused` for an error of the caller, anything else for a failure. */
  run(input: never): Members | Promise<Members>;
}

/** An error of the caller: an id that does not exist, a name that is taken. */
export class Refused extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** How often a function that changes something may be called in one run. */
export const MAX_CHANGING_CALLS = 10;

/** Called with the name of each listed function that a request names, whether the request is valid or not. */
export type OnCall = (functionName: string) => void;

export interface RunningServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** What the tests know about a server beyond its descriptors. */
export interface NaturalRecord {
  readonly name: string;
  readonly forms: readonly Form[];
  readonly functions: readonly string[];
  /** Functions without an example, which fail `documentation/examples`, a MAY row. */
  readonly withoutExample: readonly string[];
  /** Functions whose purpose is to change something: the check must not call them often. */
  readonly changes: readonly string[];
  /** Functions that need more than the descriptor says, such as a token or an existing id. */
  readonly undecided: Readonly<Record<Form, readonly string[]>>;
  /** Functions that correctly refuse to do the same thing twice: a second run on the same process is refused. */
  readonly once: readonly string[];
  readonly start: (form: Form, onCall: OnCall) => Promise<RunningServer>;
}

/** Whether all functions can be called repeatedly with inputs from schemas and examples. */
export function isDecidable({ undecided, once }: NaturalRecord, form: Form): boolean {
  return undecided[form].length === 0 && once.length === 0;
}
